import { readSync } from 'node:fs';

// The first two pages of an LMDB file, which describe the others; each transaction writes one of them, in turn. Offsets
// are those of `MDB_page`, `MDB_meta` and `MDB_db` in LMDB's `mdb.c`, on 64 bits with the low byte first.

export interface MetaPage {
  pageSize: number;
  /** The last page that was ever used; the file may be longer. */
  lastPage: number;
  /** The transaction that wrote it. */
  transaction: number;
  /** The tree of pages that are free, and the tree of stored items. */
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

/** The pages of the files that we make; those of earlier releases have pages of the platform's size. */
export const PAGE_BYTES = 8192;

const BYTES = 160;
const META = 8;
const MAGIC = 0xbeefc0de;
const FORMAT = 2;
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536];

/** The bytes that every write reads, at once: the heads of both pages where they are no larger than ours. */
const HEADS = new Uint8Array(PAGE_BYTES + BYTES);
const WORDS = new Uint32Array(HEADS.buffer);

/** @returns the one that counts first; undefined if this is no LMDB file */
export function readMetaPages(file: number): [MetaPage, MetaPage] | undefined {
  if (!readHeads(file)) return undefined;
  const [first, second] = [metaPageAt(0), metaPageAt(secondAt())];
  // LMDB finds the page of a transaction by its number; a new file has two of number 0.
  if (first.transaction % 2 > 0 || (second.transaction > 0 && second.transaction % 2 === 0)) return undefined;
  return first.transaction >= second.transaction ? [first, second] : [second, first];
}

/** How much of the file has ever been used, in bytes; undefined if it is no LMDB file. */
export function readUsedSize(file: number): number | undefined {
  if (!readHeads(file)) return undefined;
  const lastPage = Math.max(longAt(LAST_PAGE), longAt(secondAt() + LAST_PAGE));
  return (lastPage + 1) * wordAt(PAGE_SIZE);
}

/** @param at a whole number of up to 64 bits; those above 2^53 are not exact, and larger than any that counts */
export function readWord(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}

const PAGE_SIZE = 48;
const LAST_PAGE = 144;

/** @returns whether both are the heads of meta pages */
function readHeads(file: number): boolean {
  const length = readSync(file, HEADS, 0, HEADS.length, 0);
  if (length < BYTES || !isHead(0)) return false;
  const pageSize = wordAt(PAGE_SIZE);
  if (!PAGE_SIZES.includes(pageSize)) return false;
  const second = secondAt();
  if (pageSize > second ? readSync(file, HEADS, second, BYTES, pageSize) < BYTES : length < second + BYTES)
    return false;
  return isHead(second) && wordAt(second + PAGE_SIZE) === pageSize;
}

/** Where the second page is in what was read: behind the first, unless that is larger than there is room for. */
function secondAt(): number {
  return Math.min(wordAt(PAGE_SIZE), PAGE_BYTES);
}

function isHead(at: number): boolean {
  return halfAt(at + 18) === META && wordAt(at + 24) === MAGIC && halfAt(at + 28) === FORMAT;
}

function metaPageAt(at: number): MetaPage {
  return {
    pageSize: wordAt(at + PAGE_SIZE),
    lastPage: longAt(at + LAST_PAGE),
    transaction: longAt(at + 152),
    free: treeAt(at + 48),
    main: treeAt(at + 96),
  };
}

function treeAt(at: number): Tree {
  return { flags: halfAt(at + 4), depth: halfAt(at + 6), root: longAt(at + 40) };
}

/** The number of 32 bits there, which is a multiple of four. */
function wordAt(at: number): number {
  return WORDS[at / 4] ?? 0;
}

function halfAt(at: number): number {
  return at % 4 === 0 ? wordAt(at) & 0xffff : wordAt(at - 2) >>> 16;
}

/** @returns as `readWord` */
function longAt(at: number): number {
  return wordAt(at) + wordAt(at + 4) * 2 ** 32;
}
