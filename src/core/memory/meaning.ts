import type { Prices } from '../spending/prices.ts';
import { EMBEDDING_PRICES, type Embeddings } from './embeddings.ts';
import { textOf, type KeptEntry } from './entry.ts';
import { fromText, likeness, toDirection, toText, type Vectors, type VectorStore } from './vectors.ts';

/** The most missing vectors that one search makes, so that it ends in time; later searches make the rest. */
const MOST_COMPLETED = 512;
/** No model reads much more of a text. */
const MOST_CHARACTERS = 6_000;
/** How often to try to write vectors while others write them too; unwritten ones are made again. */
const ATTEMPTS = 5;

export interface Meaning {
  /** `provider/model-name` */
  model: string;
  embeddings: Embeddings;
  store: VectorStore;
  prices: Prices;
}

/**
 * Compares entries with a query by meaning, after making missing vectors.
 * @param read the current entries of the memory, oldest first
 * @returns how alike each entry with a vector is, and the cost in billionths of a dollar
 */
export async function compare(
  query: string,
  { memory, owner, read }: { memory: string; owner: string | undefined; read(): Promise<KeptEntry[]> },
  meaning: Meaning,
  signal: AbortSignal,
): Promise<{ likenesses: Map<string, number>; nanoUsd: number }> {
  const { model, embeddings, store } = meaning;
  const made = new Map<string, Int8Array>();
  let tokens = 0;
  const embed = async (texts: string[], kind: 'entry' | 'query') => {
    const embedded = await embeddings.embed(texts, kind, signal);
    tokens += embedded.tokens;
    return embedded.vectors.map(toDirection);
  };

  async function completed(): Promise<Vectors> {
    for (let attempt = 1; ; attempt++) {
      const [{ text, version }, entries] = await Promise.all([store.read(memory, owner), read()]);
      const before = fromText(text);
      // Those of another model cannot be compared with these.
      const kept = before.model === model ? before.byEntry : new Map<string, Int8Array>();
      const isKnown = ({ id }: KeptEntry) => kept.has(id) || made.has(id);
      const missing = entries.filter((entry) => !isKnown(entry)).slice(-MOST_COMPLETED);
      const vectors = missing.length === 0 ? [] : await embed(missing.map(toEmbed), 'entry');
      for (const [index, { id }] of missing.entries()) {
        const vector = vectors[index];
        if (vector !== undefined) made.set(id, vector);
      }
      const byEntry = new Map(
        entries.flatMap(({ id }) => {
          const vector = kept.get(id) ?? made.get(id);
          return vector === undefined ? [] : [[id, vector] as const];
        }),
      );
      const isAsKept = byEntry.size === kept.size && [...byEntry.keys()].every((id) => kept.has(id));
      if (isAsKept || attempt > ATTEMPTS) return { model, byEntry };
      if (await store.write(memory, owner, toText({ model, byEntry }), version)) return { model, byEntry };
    }
  }

  const { byEntry } = await completed();
  const [direction] = byEntry.size === 0 ? [] : await embed([query], 'query');
  const likenesses = new Map(
    direction === undefined
      ? []
      : [...byEntry].map(([id, vector]) => [id, likeness(direction, vector)] as const),
  );
  return { likenesses, nanoUsd: costOf(tokens, meaning) };
}

/** Removes the vector of a forgotten entry. */
export async function dropVector(
  id: string,
  memory: string,
  owner: string | undefined,
  store: VectorStore,
): Promise<void> {
  for (;;) {
    const { text, version } = await store.read(memory, owner);
    const { model, byEntry } = fromText(text);
    if (!byEntry.has(id)) return;
    const others = new Map([...byEntry].filter(([other]) => other !== id));
    if (await store.write(memory, owner, toText({ model, byEntry: others }), version)) return;
  }
}

function toEmbed(entry: KeptEntry): string {
  return textOf(entry).slice(0, MOST_CHARACTERS).toWellFormed() || ' ';
}

/** 0 where no price is known. */
function costOf(tokens: number, { model, prices }: Meaning): number {
  const own = prices.costOf(model, { inputTokens: tokens, outputTokens: 0 });
  return own ?? Math.ceil(tokens * 1_000 * (EMBEDDING_PRICES.get(model) ?? 0));
}
