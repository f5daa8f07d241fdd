import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findDamage } from '../../../../../src/places/local/store/lmdb/check-pages.ts';
import { openLmdbTable, TABLE_FILE } from '../../../../../src/places/local/store/lmdb/table.ts';
import { tempFolder } from '../../../../fixtures/temp-folder.ts';

const OVERFLOW = 4;

/** Where in a file a value of several pages is. */
interface Place {
  /** Its first page, and where that begins. */
  page: number;
  start: number;
  /** The page that refers to it, and where there: the number of the first page, that of a transaction, and how many. */
  leaf: number;
  reference: number;
}

/** What is found in the file of a store with such a value, once it was changed. */
async function damageAfter(change: (file: Buffer, at: Place) => void) {
  const folder = await tempFolder();
  const table = await openLmdbTable(folder);
  const text = Array.from({ length: 60_000 }, (_, index) => ((index * 7_919) % 8_191).toString(36)).join('');
  await table.putIfAbsent({ partition: 'p', sort: 's' }, text);
  await table.close();
  const path = join(folder, TABLE_FILE);
  const file = await readFile(path);
  const place = placeIn(file);
  change(file, place);
  await writeFile(path, file);
  const descriptor = openSync(path, 'r');
  try {
    const words = findDamage(descriptor);
    return words?.replace(` ${place.page} `, ' of the value ').replace(` ${place.leaf} `, ' of the leaf ');
  } finally {
    closeSync(descriptor);
  }
}

function placeIn(file: Buffer): Place {
  const size = file.readUInt32LE(48);
  const starts = Array.from({ length: Math.floor(file.length / size) }, (_, number) => number * size);
  const start = starts.find((at) => at > 0 && file.readUInt16LE(at + 18) === OVERFLOW) ?? NaN;
  const page = file.subarray(start, start + 8);
  const count = file.readUInt32LE(start + 20);
  let reference = file.indexOf(page);
  while (reference === start || file.readUInt32LE(reference + 16) !== count)
    reference = file.indexOf(page, reference + 1);
  return { page: start / size, start, leaf: Math.floor(reference / size), reference };
}

test.each<[string, string | undefined, (file: Buffer, at: Place) => void]>([
  ['nothing', undefined, () => {}],
  ['its number', 'page of the value is damaged', (file, { start }) => file.writeUInt32LE(7_777, start)],
  ['its kind', 'page of the value is damaged', (file, { start }) => file.writeUInt16LE(2, start + 18)],
  [
    'how many it has',
    'page of the value is damaged',
    (file, { start }) => file.writeUInt32LE(99, start + 20),
  ],
  [
    'how many it has, wherever that is said',
    'page of the leaf is damaged',
    (file, { start, reference }) => {
      file.writeUInt32LE(1, start + 20);
      file.writeUInt32LE(1, reference + 16);
    },
  ],
  [
    'where it is',
    'it refers to page 7777, which it does not have',
    (file, { reference }) => file.writeUInt32LE(7_777, reference),
  ],
  [
    'where it is, and that is another page',
    'it refers to page 1 twice',
    (file, { reference }) => file.writeUInt32LE(1, reference),
  ],
])('of a value of several pages, %s is other than it was', async (_, words, change) => {
  expect(await damageAfter(change)).toBe(words);
});
