import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { keyEncoder, toLmdbKey, type LmdbKey } from '../../../../../src/places/local/store/lmdb/keys.ts';
import { openLmdbTable, TABLE_FILE } from '../../../../../src/places/local/store/lmdb/table.ts';
import { makeFolder, tempFolder } from '../../../../fixtures/temp-folder.ts';
import { describeTable } from '../../../store/table-contract.ts';
import { testTableAgainstModel } from '../../../store/table-model.ts';

const folder = await makeFolder();
afterAll(() => rm(folder, { recursive: true }));

const openShared = () => openLmdbTable(join(folder, 'shared'));
describeTable('the table in LMDB', openShared);
testTableAgainstModel(openShared, 200);

test('one opening of a folder reads at once what another has written', async () => {
  const path = await tempFolder();
  const [first, second] = await Promise.all([openLmdbTable(path), openLmdbTable(path)]);
  const key = { partition: 'p', sort: 's' };
  expect(await second.get(key)).toBeUndefined();
  await first.putIfAbsent(key, 1);
  expect(await second.get(key)).toEqual({ key, value: 1, version: 1 });
  await first.close();
  expect(await second.putIfVersion(key, 2, 1)).toEqual({ key, value: 2, version: 2 });
  await second.close();
  const third = await openLmdbTable(path);
  expect(await third.get(key)).toEqual({ key, value: 2, version: 2 });
  await third.close();
});

test('reads that are begun at once see the same state', async () => {
  const path = await tempFolder();
  const [reader, writer] = await Promise.all([openLmdbTable(path), openLmdbTable(path)]);
  const keys = ['one', 'two'].map((sort) => ({ partition: 'p', sort }));
  const first = keys.map((key) => {
    const read = reader.get(key);
    void writer.putIfAbsent({ partition: 'p', sort: 'two' }, 2);
    return read;
  });
  expect(await Promise.all(first)).toEqual([undefined, undefined]);
  const later = await Promise.all(keys.map((key) => reader.get(key)));
  expect(later.map((item) => item?.value)).toEqual([undefined, 2]);
  await Promise.all([reader.close(), writer.close()]);
});

test('whoever reads the beginning of a long list reads little of the rest', async () => {
  const path = await tempFolder();
  const writer = await openLmdbTable(path);
  for (let index = 0; index < 2_000; index++)
    await writer.putIfAbsent({ partition: 'list', sort: String(index) }, { text: 'x'.repeat(100) });
  await writer.close();
  const reader = await openLmdbTable(path);
  const parsed = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parsed.mockRestore());
  for await (const _ of reader.query('list', '', { reverse: true })) break;
  expect(parsed.mock.calls.length).toBeLessThan(200);
  await reader.close();
});

test('many items are removed in steps, between which others write', async () => {
  const path = await tempFolder();
  const [remover, other] = await Promise.all([openLmdbTable(path), openLmdbTable(path)]);
  const keys = Array.from({ length: 1_000 }, (_, index) => ({ partition: 'p', sort: String(index) }));
  for (const key of keys) await remover.putIfAbsent(key, 1);
  const [first, last] = [keys.at(0), keys.at(-1)];
  if (first === undefined || last === undefined || remover.deleteAll === undefined) throw new Error();
  const before = remover.newest?.() ?? NaN;

  const removing = remover.deleteAll([...keys, { partition: 'p', sort: 'of none' }]);
  expect(await other.get(first)).toBeUndefined();
  expect(await other.putIfVersion(last, 2, 1)).toEqual({ key: last, value: 2, version: 2 });
  await removing;

  for await (const item of other.query('p', '')) expect(item).toBeUndefined();
  expect((remover.newest?.() ?? NaN) - before).toBe(5);
  await Promise.all([remover.close(), other.close()]);
});

const PROSE = Array.from({ length: 900 }, (_, index) => `word${(index * 7_919) % 601}`).join(' ');

test('long texts take less of the disk than they have characters, and are read as they were', async () => {
  const path = await tempFolder();
  const writer = await openLmdbTable(path);
  const keys = Array.from({ length: 500 }, (_, index) => ({ partition: 'p', sort: String(index) }));
  for (const key of keys) await writer.putIfAbsent(key, { text: PROSE, é: '😀' });
  await writer.close();
  expect((await stat(join(path, TABLE_FILE))).size).toBeLessThan((keys.length * PROSE.length) / 2);
  const reader = await openLmdbTable(path);
  for (const key of keys.slice(0, 3))
    expect(await reader.get(key)).toEqual({ key, value: { text: PROSE, é: '😀' }, version: 1 });
  await reader.close();
});

test.each([4096, 16_384])(
  'texts of earlier releases, in pages of %d bytes, are read and replaced',
  async (pageSize) => {
    const path = await tempFolder();
    const key = { partition: 'p', sort: 's' };
    const earlier = open<string, LmdbKey>({
      path: join(path, TABLE_FILE),
      noSubdir: true,
      encoding: 'string',
      keyEncoder,
      mapSize: 64 * 1024 ** 3,
      noSync: true,
      pageSize,
    });
    earlier.putSync(toLmdbKey(key), `12 ${JSON.stringify({ text: PROSE })}`);
    await earlier.close();
    const table = await openLmdbTable(path);
    expect(await table.get(key)).toEqual({ key, value: { text: PROSE }, version: 12 });
    expect(await table.putIfVersion(key, { text: `${PROSE}!` }, 12)).toMatchObject({ version: 13 });
    await table.close();
    const again = await openLmdbTable(path);
    expect(await again.get(key)).toEqual({ key, value: { text: `${PROSE}!` }, version: 13 });
    await again.close();
  },
);
