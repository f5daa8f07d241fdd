import * as v from 'valibot';

/** The vectors of a memory's entries, by their ids: whole numbers from -127 to 127, which is all that a comparison needs. */
export interface Vectors {
  /** The model that made them; those of another cannot be compared with them. */
  model: string;
  byEntry: ReadonlyMap<string, Int8Array>;
}

/** The store of the memories' vectors, those of one memory as one text. */
export interface VectorStore {
  /** @returns undefined if there are none; and the current version, 0 for nothing */
  read(memory: string, owner: string | undefined): Promise<{ text: string | undefined; version: number }>;
  /** Replaces the vectors. @returns false if the version has changed since */
  write(memory: string, owner: string | undefined, text: string, version: number): Promise<boolean>;
}

const kept = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ model: v.string(), ids: v.array(v.string()), vectors: v.string() }),
);

const NONE: Vectors = { model: '', byEntry: new Map() };

export function toText({ model, byEntry }: Vectors): string {
  const vectors = Buffer.concat(
    [...byEntry.values()].map(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length)),
  );
  return JSON.stringify({ model, ids: [...byEntry.keys()], vectors: vectors.toString('base64') });
}

/** @returns none where the text is none of ours: they are made anew */
export function fromText(text: string | undefined): Vectors {
  const parsed = v.safeParse(kept, text);
  if (!parsed.success) return NONE;
  const { model, ids, vectors } = parsed.output;
  const all = new Int8Array(Buffer.from(vectors, 'base64'));
  const length = all.length / Math.max(1, ids.length);
  if (!Number.isInteger(length)) return NONE;
  return {
    model,
    byEntry: new Map(ids.map((id, index) => [id, all.subarray(index * length, (index + 1) * length)])),
  };
}

/** The direction of a vector, in whole numbers. */
export function toDirection(vector: readonly number[]): Int8Array {
  const largest = vector.reduce((most, part) => Math.max(most, Math.abs(part)), 0) || 1;
  return Int8Array.from(vector, (part) => Math.round((part / largest) * 127));
}

/** How alike two directions are: 1 for the same, 0 for nothing in common, and for vectors of different models. */
export function likeness(one: Int8Array, other: Int8Array): number {
  if (one.length !== other.length) return 0;
  let product = 0;
  let ofOne = 0;
  let ofOther = 0;
  for (let index = 0; index < one.length; index++) {
    const a = one[index] ?? 0;
    const b = other[index] ?? 0;
    product += a * b;
    ofOne += a * a;
    ofOther += b * b;
  }
  return ofOne === 0 || ofOther === 0 ? 0 : product / Math.sqrt(ofOne * ofOther);
}
