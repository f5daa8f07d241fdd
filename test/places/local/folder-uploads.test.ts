import { expect, test } from 'vitest';
import { createFolderUploads } from '../../../src/places/local/folder-uploads.ts';
import type { Blobs } from '../../../src/places/store/blobs.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';

const HOUR = 3_600_000;

test('a file waits a day for a run that is shown it, and goes with the first that comes after that', async () => {
  let hours = 0;
  const uploads = createMemoryStore().uploads(() => hours * HOUR);
  const bytes = Buffer.from([0, 1, 0xff]);
  await uploads.take?.('ada', 'hash', bytes);
  expect(await uploads.read('ada', 'hash')).toEqual(bytes);
  expect(await uploads.read('bob', 'hash')).toBe(undefined);
  hours = 23.9;
  await uploads.take?.('ada', 'second', Buffer.from('2'));
  expect(await uploads.read('ada', 'hash')).toEqual(bytes);
  hours = 24;
  expect(await uploads.read('ada', 'hash')).toEqual(bytes);
  await uploads.take?.('bob', 'third', Buffer.from('3'));
  expect(await uploads.read('ada', 'hash')).toBe(undefined);
  expect(await uploads.read('ada', 'second')).toEqual(Buffer.from('2'));
});

test('a file that is left once more waits a day from then on', async () => {
  let hours = 0;
  const uploads = createMemoryStore().uploads(() => hours * HOUR);
  const bytes = Buffer.from('1');
  await uploads.take?.('ada', 'hash', bytes);
  hours = 23.9;
  await uploads.take?.('ada', 'hash', bytes);
  hours = 25;
  await uploads.take?.('bob', 'other', Buffer.from('2'));
  expect(await uploads.read('ada', 'hash')).toEqual(bytes);
});

test('a file whose process died while it left it goes as others do', async () => {
  let hours = 0;
  const table = createMemoryTable();
  const { blobs } = createMemoryStore();
  const kept = new Set<string>();
  const dying: Blobs = {
    ...blobs,
    async put(key, text) {
      await blobs.put(key, text);
      kept.add(key);
      throw new Error('killed');
    },
    async delete(key) {
      await blobs.delete(key);
      kept.delete(key);
    },
  };
  const uploads = createFolderUploads(table, dying, () => hours * HOUR);
  await expect(uploads.take?.('ada', 'hash', Buffer.from('1'))).rejects.toThrow('killed');
  hours = 25;
  await expect(uploads.take?.('bob', 'other', Buffer.from('2'))).rejects.toThrow('killed');
  expect([...kept]).toEqual(['uploads/bob/other']);
});
