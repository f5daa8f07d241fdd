import { readSync } from 'node:fs';

// The first two pages of an LMDB file, which tell what is in the others; each transaction writes one of them, in turn.
// Offsets are those of `MDB_page`, `MDB_meta` and `MDB_db` in LMDB's `mdb.c`, on 64 bits with the low byte first.

export interface MetaPage {
  pageSize: number;
  /** The last page that was ever used; the file may be longer. */
  lastPage: number;
  /** The transaction that wrote it. */
  transaction: number;
  /** The tree of pages that are free, and the tree of what is kept. */
  free: Tree;
  main: Tree;
}

export interface Tree {
  flags: number;
  depth: number;
  /** `NO_PAGE` where the tree is empty. */
  root: number;
}

/** 2^64 - 1, as near as a number comes. */
export const NO_PAGE = 2 ** 64;

const BYTES = 160;
const META = 8;
const MAGIC = 0xbeefc0de;
const FORMAT = 2;
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536];

/** @returns the one that counts first; undefined if this is no LMDB file */
export function readMetaPages(file: number): [MetaPage, MetaPage] | undefined {
  const first = readMetaPage(file, 0, 0);
  const second = first && readMetaPage(file, 1, first.pageSize);
  if (first === undefined || second === undefined) return undefined;
  return first.transaction >= second.transaction ? [first, second] : [second, first];
}

/** @param at a whole number of up to 64 bits; those above 2^53 are not exact, and larger than any that counts */
export function readWord(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}

function readMetaPage(file: number, number: 0 | 1, position: number): MetaPage | undefined {
  const bytes = Buffer.allocUnsafe(BYTES);
  if (readSync(file, bytes, 0, BYTES, position) < BYTES) return undefined;
  if (bytes.readUInt16LE(18) !== META) return undefined;
  if (bytes.readUInt32LE(24) !== MAGIC || bytes.readUInt16LE(28) !== FORMAT) return undefined;
  const pageSize = bytes.readUInt32LE(48);
  const transaction = readWord(bytes, 152);
  // LMDB finds the page of a transaction by its number; a new file has two of number 0.
  const isInPlace = transaction === 0 || transaction % 2 === number;
  if (!PAGE_SIZES.includes(pageSize) || !isInPlace) return undefined;
  return {
    pageSize,
    lastPage: readWord(bytes, 144),
    transaction,
    free: readTree(bytes, 48),
    main: readTree(bytes, 96),
  };
}

function readTree(bytes: Buffer, at: number): Tree {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    root: readWord(bytes, at + 40),
  };
}
