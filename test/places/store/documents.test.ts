import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createFolderBlobs } from '../../../src/places/local/store/folder-blobs.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/** Documents of several processes over one folder, each with a memory of its own. */
async function openTwice() {
  const folder = await tempFolder();
  const open = async () => {
    const table = await openLmdbTable(join(folder, 'store'));
    onTestFinished(() => table.close());
    return createDocuments(table, createFolderBlobs(join(folder, 'blobs')));
  };
  return [await open(), await open()] as const;
}

const keyOf = (sort: string) => ({ partition: 'p', sort });
const large = (letter: string) => ({ text: letter.repeat(1_000_000) });

describe('documents', () => {
  test.for([
    ['small', { text: 'é' }],
    ['large', large('é')],
  ] as const)('that are %s come back as they were written, wherever they are read', async ([, value]) => {
    const [writer, reader] = await openTwice();
    expect(await writer.putIfAbsent(keyOf('a'), value)).toEqual(value);
    expect(await writer.get(keyOf('a'))).toEqual(value);
    expect(await reader.get(keyOf('a'))).toEqual(value);
    expect(await reader.query('p', '')).toEqual([value]);
  });

  test('stay what the first writer made them, for the other one too', async () => {
    const [first, second] = await openTwice();
    await first.putIfAbsent(keyOf('a'), { by: 'first' });
    expect(await second.putIfAbsent(keyOf('a'), { by: 'second' })).toEqual({ by: 'first' });
    expect(second.recent(keyOf('a'))).toEqual({ by: 'first' });
    expect(await second.get(keyOf('a'))).toEqual({ by: 'first' });
  });

  test('are known without reading once they were written or read here', async () => {
    const [writer, reader] = await openTwice();
    await writer.putIfAbsent(keyOf('a'), { by: 'writer' });
    expect(writer.recent(keyOf('a'))).toEqual({ by: 'writer' });
    expect(reader.recent(keyOf('a'))).toBeUndefined();
    await reader.get(keyOf('a'));
    expect(reader.recent(keyOf('a'))).toEqual({ by: 'writer' });
    expect(reader.recent({ partition: 'pa', sort: '' })).toBeUndefined();
  });

  test('leave memory when they have not been used for long, and are read again', async () => {
    const [documents] = await openTwice();
    for (const letter of ['a', 'b', 'c', 'd']) {
      await documents.putIfAbsent(keyOf(letter), large(letter));
      documents.recent(keyOf('a'));
    }
    await documents.putIfAbsent(keyOf('e'), large('e'));
    const known = ['a', 'b', 'c', 'd', 'e'].filter((letter) => documents.recent(keyOf(letter)));
    expect(known).toEqual(['a', 'd', 'e']);
    expect(await documents.get(keyOf('b'))).toEqual(large('b'));
  });

  test('that are larger than all of the memory for them push nothing out of it', async () => {
    const [documents] = await openTwice();
    await documents.putIfAbsent(keyOf('a'), { text: 'a' });
    const huge = { text: 'x'.repeat(5_000_000) };
    await documents.putIfAbsent(keyOf('huge'), huge);
    expect(documents.recent(keyOf('huge'))).toBeUndefined();
    expect(documents.recent(keyOf('a'))).toEqual({ text: 'a' });
    expect(await documents.get(keyOf('huge'))).toEqual(huge);
  });
});

test('a blob that is damaged is named', async () => {
  const folder = await tempFolder();
  const table = await openLmdbTable(join(folder, 'store'));
  onTestFinished(() => table.close());
  const blobs = join(folder, 'blobs');
  await createDocuments(table, createFolderBlobs(blobs)).putIfAbsent(keyOf('x'), large('a'));
  const [name = ''] = await readdir(join(blobs, 'p/x'));
  await writeFile(join(blobs, 'p/x', name), '{"a');
  const reading = createDocuments(table, createFolderBlobs(blobs)).get(keyOf('x'));
  await expect(reading).rejects.toThrow(`blob "p/x/${name}" in ${blobs} is damaged: `);
  await expect(reading).rejects.toBeInstanceOf(StoreError);
});
