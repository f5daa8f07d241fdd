import { readSync } from 'node:fs';
import { NO_PAGE, readMetaPages, readWord, type MetaPage, type Tree } from './meta-pages.ts';

/**
 * Looks for damage that LMDB does not look for: LMDB follows every reference that it reads, and ends the process where
 * one leads nowhere. Does not look into values. Takes some 5 µs for each page of the tree.
 * @param file that other processes may be writing to
 * @returns the damage; undefined if there is none
 */
export function findDamage(file: number): string | undefined {
  for (let attempt = 0; attempt < 3; attempt++) {
    const meta = readMetaPages(file)?.[0];
    const damage = meta === undefined ? 'it has no header' : damageIn(file, meta);
    // Pages are written again from the second transaction on after the one that left them.
    if (damage === undefined || readMetaPages(file)?.[0].transaction === meta?.transaction) return damage;
  }
  return undefined; // a process is writing it all the time, which looked at it when it opened it
}

function damageIn(file: number, meta: MetaPage): string | undefined {
  try {
    new PageCheck(file, meta).run();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Damage) return thrown.message;
    throw thrown;
  }
}

class Damage extends Error {}

/**
 * `mdb_page_header`: number, transaction, padding, flags, and the bounds of the free space as offsets from its end, or
 * how many pages a value takes.
 */
const HEADER_BYTES = 24;
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;

/** `MDB_node`: two halves of the value's size, flags, the key's size, the key, and the value or where it is. */
const NODE_BYTES = 8;
const VALUE_ON_PAGES = 1;
/** `MDB_ovpage`: the first page, its transaction, and how many there are. */
const PLACE_BYTES = 24;

/** Keys in numeric order, and one file without a folder of its own. */
const FREE_FLAGS = 0x4008;
const MAIN_FLAGS = 0;

/** The deepest tree that a cursor of LMDB can hold. */
const MAX_DEPTH = 32;

/** The state of walking a tree in the order of its keys. */
interface Walk {
  compare(one: Buffer, other: Buffer): number;
  checkValue?(value: Buffer): void;
  /** The key before, and whether it stood in a branch: the key after it may be the same. */
  last?: Buffer;
  isBound?: boolean;
}

class PageCheck {
  readonly #file: number;
  readonly #meta: MetaPage;
  readonly #pageSize: number;
  /** 1 for each page that something refers to. */
  readonly #taken: Uint8Array;

  constructor(file: number, meta: MetaPage) {
    this.#file = file;
    this.#meta = meta;
    this.#pageSize = meta.pageSize;
    this.#taken = new Uint8Array(meta.lastPage + 1);
  }

  run(): void {
    this.#take(0, 2);
    this.#checkTree(this.#meta.main, MAIN_FLAGS, { compare: Buffer.compare });
    this.#checkTree(this.#meta.free, FREE_FLAGS, {
      compare: (one, other) => transactionOf(one) - transactionOf(other),
      checkValue: (pages) => this.#checkFreePages(pages),
    });
  }

  #checkTree({ flags, depth, root }: Tree, expected: number, walk: Walk): void {
    if (flags !== expected || depth > MAX_DEPTH) throw new Damage('its header does not make sense');
    if (root === NO_PAGE && depth === 0) return;
    this.#checkPage(root, depth, walk);
  }

  /** @param level how far above nothing: leaves are on level 1 */
  #checkPage(number: number, level: number, walk: Walk): void {
    this.#take(number, 1);
    const page = this.#read(number, 0, this.#pageSize);
    this.#checkHeader(page, number, level === 1 ? LEAF : BRANCH);
    const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
    const room = this.#pageSize - HEADER_BYTES;
    if (lower === 0 || lower % 2 > 0 || lower > upper || upper > room) throw damaged(number);
    for (let entry = 0; entry < lower; entry += 2) {
      const offset = page.readUInt16LE(HEADER_BYTES + entry);
      if (offset < upper || offset + NODE_BYTES > room) throw damaged(number);
      const node = page.subarray(HEADER_BYTES + offset);
      const end = NODE_BYTES + node.readUInt16LE(6);
      if (end > node.length) throw damaged(number);
      // The first key of a branch is never looked at.
      if (level === 1 || entry > 0) checkOrder(node.subarray(NODE_BYTES, end), level > 1, number, walk);
      if (level === 1) this.#checkValue(node, end, number, walk);
      else this.#checkPage(node.readUInt32LE(0) + node.readUInt16LE(4) * 2 ** 32, level - 1, walk);
    }
  }

  /** @param start where in the node the value is, or its place */
  #checkValue(node: Buffer, start: number, number: number, walk: Walk): void {
    const size = node.readUInt32LE(0);
    const flags = node.readUInt16LE(4);
    if (flags === 0 && start + size <= node.length) {
      walk.checkValue?.(node.subarray(start, start + size));
    } else if (flags === VALUE_ON_PAGES && start + PLACE_BYTES <= node.length) {
      const first = readWord(node, start);
      const count = readWord(node, start + 16);
      if (count * this.#pageSize < HEADER_BYTES + size) throw damaged(number);
      this.#take(first, count);
      const header = this.#read(first, 0, HEADER_BYTES);
      this.#checkHeader(header, first, OVERFLOW);
      if (header.readUInt32LE(20) !== count) throw damaged(first);
      walk.checkValue?.(this.#read(first, HEADER_BYTES, size));
    } else {
      throw damaged(number);
    }
  }

  #checkHeader(page: Buffer, number: number, flags: number): void {
    const isWhole =
      readWord(page, 0) === number &&
      readWord(page, 8) <= this.#meta.transaction &&
      page.readUInt16LE(18) === flags;
    if (!isWhole) throw damaged(number);
  }

  /** Their count, and for each a page, the negative length of a block before its first page, or 0 for none. */
  #checkFreePages(value: Buffer): void {
    const count = value.length < 8 ? Infinity : readWord(value, 0);
    if (8 + 8 * count > value.length) throw new Damage('its list of free pages is damaged');
    for (let index = 1; index <= count; index++) {
      const entry = Number(value.readBigInt64LE(8 * index));
      if (entry > 0) this.#take(entry, 1);
      else if (entry < 0 && index < count) this.#take(readWord(value, 8 * ++index), -entry);
    }
  }

  #take(first: number, count: number): void {
    if (!(first >= 0 && count >= 1 && first + count <= this.#taken.length)) {
      throw new Damage(`it refers to page ${first}, which it does not have`);
    }
    if (this.#taken.subarray(first, first + count).includes(1)) {
      throw new Damage(`it refers to page ${first} twice`);
    }
    this.#taken.fill(1, first, first + count);
  }

  #read(page: number, offset: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafe(size);
    const length = readSync(this.#file, bytes, 0, size, page * this.#pageSize + offset);
    if (length < size) throw new Damage(`page ${page} is missing`);
    return bytes;
  }
}

/** Keys out of order lead a search astray, or round in a circle. */
function checkOrder(key: Buffer, isBound: boolean, page: number, walk: Walk): void {
  const order = walk.last === undefined ? -1 : walk.compare(walk.last, key);
  // False for a key that is no number, too.
  if (!(order < 0 || (order === 0 && walk.isBound))) throw damaged(page);
  walk.last = key;
  walk.isBound = isBound;
}

/** Keys of free pages are the numbers of the transactions that left them. */
function transactionOf(key: Buffer): number {
  return key.length === 8 ? readWord(key, 0) : Number.NaN;
}

function damaged(page: number): Damage {
  return new Damage(`page ${page} is damaged`);
}
