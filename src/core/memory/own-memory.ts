import { messageOf, StoreUnavailableError } from '../../errors.ts';
import { callName, type CallKey } from '../records/call.ts';
import type { Opened } from '../records/opened.ts';
import type { Prices } from '../spending/prices.ts';
import type { OwnMemory } from '../tool-contracts/tool.ts';
import type { OpenEmbeddings } from './embeddings.ts';
import { toSaved, type KeptEntry } from './entry.ts';
import { compare, dropVector } from './meaning.ts';
import type { Memories } from './memories.ts';
import type { VectorStore } from './vectors.ts';
import type { WordIndex } from './word-index.ts';

/** Only the newest entries of a memory are searched, so that no search takes too long. */
const MOST_SEARCHED = 5_000;

export interface OwnMemoryPorts {
  memories: Memories;
  vectors: VectorStore;
  openEmbeddings: OpenEmbeddings;
  prices: Prices;
}

/**
 * What an agent remembers, as the tools of one call reach it: the memory that its conversation was opened with, and so
 * that of its owner alone.
 * @param at the call; its turn's time is that of what it saves, so that a repetition saves the same entry
 * @param words the index of this memory
 */
export function openOwnMemory(
  { name, owner, embedding }: NonNullable<Opened['memoryTools']>,
  { run, answeredAt, ...call }: CallKey & { answeredAt: string },
  { memories, vectors, openEmbeddings, prices }: OwnMemoryPorts,
  words: WordIndex,
): OwnMemory {
  const own = memories.of(owner);
  const read = () => own.kept(name, MOST_SEARCHED);

  /** How alike entries are in meaning; or why that is not known, in words. */
  async function byMeaning(model: string, query: string, signal: AbortSignal) {
    try {
      const embeddings = await openEmbeddings(model);
      const meaning = { model, embeddings, store: vectors, prices };
      return await compare(query, { memory: name, owner, read }, meaning, signal);
    } catch (thrown) {
      if (signal.aborted || thrown instanceof StoreUnavailableError) throw thrown;
      return { likenesses: new Map<string, number>(), nanoUsd: 0, fault: messageOf(thrown) };
    }
  }

  return {
    async search(query, limit, signal) {
      const entries = await read();
      const worth = words.search(query, entries);
      if (embedding === undefined) return { entries: best(entries, [worth], limit) };
      const { likenesses, ...others } = await byMeaning(embedding, query, signal);
      return { entries: best(entries, [worth, likenesses], limit), ...others };
    },
    save: (text) => own.append(name, `${run}#${callName(call)}`, toSaved(answeredAt, text)),
    async forget(id) {
      const isForgotten = await own.forget(name, id);
      await dropVector(id, name, owner, vectors);
      return isForgotten;
    },
  };
}

/** As in most uses of it (Cormack et al., "Reciprocal Rank Fusion", 2009). */
const SMOOTHING = 60;

/**
 * The best entries by one or several measures whose numbers cannot be compared: only ranks count. Among equals, the
 * newest comes first.
 */
function best(
  entries: readonly KeptEntry[],
  measures: readonly ReadonlyMap<string, number>[],
  limit: number,
): KeptEntry[] {
  const newestFirst = entries.toReversed();
  const score = new Map<string, number>();
  for (const measure of measures) {
    const of = ({ id }: KeptEntry) => measure.get(id) ?? 0;
    const placed = newestFirst.filter((entry) => of(entry) > 0).sort((one, other) => of(other) - of(one));
    for (const [place, { id }] of placed.slice(0, limit).entries()) {
      score.set(id, (score.get(id) ?? 0) + 1 / (SMOOTHING + place));
    }
  }
  const of = ({ id }: KeptEntry) => score.get(id) ?? 0;
  const found = newestFirst.filter(({ id }) => score.has(id));
  return found.sort((one, other) => of(other) - of(one)).slice(0, limit);
}
