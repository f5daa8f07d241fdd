import { closeSync, openSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findDamage } from '../../../../../src/places/local/store/lmdb/check-pages.ts';
import { openLmdbTable, TABLE_FILE } from '../../../../../src/places/local/store/lmdb/table.ts';
import { makeFolder } from '../../../../fixtures/temp-folder.ts';

const SIZE = 8192;
const HEADER = 24;
const OVERFLOW = 4;
/** As many pages as nobody has. */
const NOWHERE = 7_777;

/** Where in a file there is what; of a tree, its flags, behind which its depth and the number of its root are. */
interface Places {
  meta: number;
  main: number;
  free: number;
  /** The root of all items, the first leaf below it, and the leaf with the lists of free pages. */
  branch: number;
  leaf: number;
  freeLeaf: number;
  /** The first page of a value of several, and where a leaf names it, and says how many pages it has. */
  value: number;
  reference: number;
}

let folder: string;
let whole: Buffer;
let places: Places;

beforeAll(async () => {
  folder = await makeFolder();
  const table = await openLmdbTable(folder);
  const text = Array.from({ length: 60_000 }, (_, index) => ((index * 7_919) % 8_191).toString(36)).join('');
  const key = (index: number) => ({ partition: 'p', sort: String(1000 + index) });
  for (let index = 0; index < 60; index++) await table.putIfAbsent(key(index), text.slice(0, 900));
  await table.putIfAbsent({ partition: 'q', sort: 's' }, text);
  for (let index = 0; index < 8; index++) await table.delete(key(index));
  await table.close();
  whole = await readFile(join(folder, TABLE_FILE));
  places = placesIn(whole);
  return () => rm(folder, { recursive: true });
});

function placesIn(file: Buffer): Places {
  const meta = file.readUInt32LE(152) > file.readUInt32LE(SIZE + 152) ? 0 : SIZE;
  const pageAt = (at: number) => file.readUInt32LE(at) * SIZE;
  const branch = pageAt(meta + 96 + 40);
  const leaf = pageAt(nodeIn(file, branch, 0));
  const starts = Array.from({ length: file.length / SIZE }, (_, number) => number * SIZE);
  const value = starts.find((at) => at > 0 && file.readUInt16LE(at + 18) === OVERFLOW) ?? NaN;
  const count = file.readUInt32LE(value + 20);
  const page = file.subarray(value, value + 8);
  let reference = file.indexOf(page);
  while (reference === value || file.readUInt32LE(reference + 16) !== count)
    reference = file.indexOf(page, reference + 1);
  return {
    meta,
    main: meta + 100,
    free: meta + 52,
    branch,
    leaf,
    freeLeaf: pageAt(meta + 48 + 40),
    value,
    reference,
  };
}

/** Where an entry of a page is. */
const nodeIn = (file: Buffer, page: number, entry: number) =>
  page + HEADER + file.readUInt16LE(page + HEADER + 2 * entry);

/** What is found in the file of a store once it was changed. */
async function damageAfter(change: (file: Buffer) => Buffer | void) {
  const path = join(folder, TABLE_FILE);
  const file = Buffer.from(whole);
  await writeFile(path, change(file) ?? file);
  const descriptor = openSync(path, 'r');
  try {
    return findDamage(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Changes half a word at a place of a file. */
const half = (place: keyof Places, offset: number, to: number) => (file: Buffer) =>
  void file.writeUInt16LE(to, places[place] + offset);
const word = (place: keyof Places, offset: number, to: number) => (file: Buffer) =>
  void file.writeUInt32LE(to, places[place] + offset);
const damaged = (place: keyof Places) => () => `page ${Math.floor(places[place] / SIZE)} is damaged`;
const is = (words: string) => () => words;
const NO_SENSE = is('its header does not make sense');
const NO_SUCH_PAGE = is(`it refers to page ${NOWHERE}, which it does not have`);

test('a store without damage has none', async () => {
  expect(await damageAfter(() => {})).toBeUndefined();
  expect(Object.values(places).every((place) => place > 0 || place === places.meta)).toBe(true);
});

type Change = [what: string, words: () => string, change: (file: Buffer) => Buffer | void];

describe.each<[string, Change[]]>([
  [
    'the head',
    [
      ['its mark', is('it has no header'), (file) => void file.writeUInt32LE(1, 24)],
      ['the mark of the other', is('it has no header'), (file) => void file.writeUInt32LE(1, SIZE + 24)],
      ['its format', is('it has no header'), (file) => void file.writeUInt16LE(3, 28)],
      ['its kind', is('it has no header'), (file) => void file.writeUInt16LE(9, 18)],
      ['its size of pages', is('it has no header'), (file) => void file.writeUInt32LE(8190, 48)],
      [
        'the size of pages of the other',
        is('it has no header'),
        (file) => void file.writeUInt32LE(4096, SIZE + 48),
      ],
      ['its transaction', is('it has no header'), (file) => void file.writeUInt32LE(7, 152)],
      ['its length', is('it has no header'), (file) => file.subarray(0, SIZE + 159)],
      ['the flags of its items', NO_SENSE, half('main', 0, 4)],
      ['the flags of its free pages', NO_SENSE, half('free', 0, 0)],
      ['how deep its items are', NO_SENSE, half('main', 2, 33)],
      ['where its items are', NO_SUCH_PAGE, word('main', 36, NOWHERE)],
      ['where its free pages are', NO_SUCH_PAGE, word('free', 36, NOWHERE)],
      [
        'the last page',
        () => `it refers to page ${places.branch / SIZE}, which it does not have`,
        word('meta', 144, 1),
      ],
    ],
  ],
  [
    'a page of items',
    [
      ['its number', damaged('leaf'), word('leaf', 0, 1)],
      ['its transaction', damaged('leaf'), word('leaf', 12, 1)],
      ['its kind', damaged('leaf'), half('leaf', 18, 1)],
      ['that there are none', damaged('leaf'), half('leaf', 20, 0)],
      ['that one is a half', damaged('leaf'), half('leaf', 20, 3)],
      ['that there are more than fit', damaged('leaf'), half('leaf', 20, 8000)],
      ['where they begin', damaged('leaf'), half('leaf', 22, SIZE - HEADER + 1)],
      ['that one lies in the room between', damaged('leaf'), half('leaf', HEADER, 0)],
      ['that one lies behind it', damaged('leaf'), half('leaf', HEADER, SIZE - HEADER - 7)],
      [
        'that one stands twice',
        damaged('leaf'),
        (file) =>
          file.writeUInt16LE(file.readUInt16LE(places.leaf + HEADER), places.leaf + HEADER + 2) && undefined,
      ],
      [
        'how long a key is',
        damaged('leaf'),
        (file) => void file.writeUInt16LE(SIZE, nodeIn(file, places.leaf, 0) + 6),
      ],
      [
        'how long a value is',
        damaged('leaf'),
        (file) => void file.writeUInt32LE(SIZE, nodeIn(file, places.leaf, 0)),
      ],
      [
        'the kind of a value',
        damaged('leaf'),
        (file) => void file.writeUInt16LE(2, nodeIn(file, places.leaf, 0) + 4),
      ],
      ['a key', damaged('leaf'), (file) => void file.writeUInt16LE(0xffff, nodeIn(file, places.leaf, 0) + 8)],
    ],
  ],
  [
    'a page above them',
    [
      ['its kind', damaged('branch'), half('branch', 18, 2)],
      [
        'where its first one is',
        NO_SUCH_PAGE,
        (file) => void file.writeUInt32LE(NOWHERE, nodeIn(file, places.branch, 0)),
      ],
      [
        'where its first one is, far behind',
        is('it refers to page 4294967298, which it does not have'),
        (file) => {
          file.writeUInt32LE(2, nodeIn(file, places.branch, 0));
          file.writeUInt16LE(1, nodeIn(file, places.branch, 0) + 4);
        },
      ],
      [
        'that its second one is its first',
        () => `it refers to page ${places.leaf / SIZE} twice`,
        (file) => void file.writeUInt32LE(places.leaf / SIZE, nodeIn(file, places.branch, 1)),
      ],
      [
        'that it is there',
        () => `page ${places.branch / SIZE} is missing`,
        (file) => file.subarray(0, places.branch + SIZE - 1),
      ],
      ['a key', damaged('branch'), (file) => void file.writeUInt16LE(0, nodeIn(file, places.branch, 1) + 8)],
    ],
  ],
  [
    'a value of several pages',
    [
      ['its number', damaged('value'), word('value', 0, NOWHERE)],
      ['its kind', damaged('value'), half('value', 18, 2)],
      ['how many it has', damaged('value'), word('value', 20, 99)],
      [
        'how many it has, wherever that is said',
        damaged('reference'),
        (file) => {
          file.writeUInt32LE(1, places.value + 20);
          file.writeUInt32LE(1, places.reference + 16);
        },
      ],
      ['where it is', NO_SUCH_PAGE, word('reference', 0, NOWHERE)],
      ['where it is, and that is another page', is('it refers to page 1 twice'), word('reference', 0, 1)],
    ],
  ],
  [
    'the lists of free pages',
    [
      [
        'how many there are',
        is('its list of free pages is damaged'),
        (file) => void file.writeUInt32LE(SIZE, listIn(file)),
      ],
      [
        'that one is free',
        is('it refers to page 1 twice'),
        (file) => void file.writeUInt32LE(1, listIn(file) + 8),
      ],
      [
        'that one is free which is not there',
        NO_SUCH_PAGE,
        (file) => void file.writeUInt32LE(NOWHERE, listIn(file) + 8),
      ],
      [
        'that a list has an end',
        is('its list of free pages is damaged'),
        (file) => void file.writeUInt32LE(7, nodeIn(file, places.freeLeaf, 0)),
      ],
    ],
  ],
])('of %s', (_, changes) => {
  test.each(changes)('%s is other than it was', async (_what, words, change) => {
    expect(await damageAfter(change)).toBe(words());
  });
});

/** Where the first list of free pages is: its count, and behind it their numbers. */
const listIn = (file: Buffer) => {
  const node = nodeIn(file, places.freeLeaf, 0);
  return node + 8 + file.readUInt16LE(node + 6);
};
