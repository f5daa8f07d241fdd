import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { latch } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';
import { CONTRACT_FILES, openProcess } from '../contract-folder.ts';

const AT = Date.parse('2026-01-01T00:00:00.000Z');

/** A process that was there, and is not any more. */
const DEAD = '2147483647 since 1 of nothing';

test('what a process was asked for that died before it began it goes with the runs of its age', async () => {
  const cwd = await tempFolder(CONTRACT_FILES);
  const id = newRunId('echo', AT);
  const local = await openLocalStore(cwd);
  const kept = latch();
  const folder = await openProcess(cwd, {
    ...local,
    runs: {
      ...local.runs,
      async saveRequest(...given) {
        await local.runs.saveRequest(...given);
        kept.open();
        await new Promise(() => {});
      },
    },
  });
  const [name, data] = ['words', 'd29yZHM='];
  await local.runs.saveAttachment(id, name, { data });
  void folder.start({ id, request: { agent: 'echo', prompt: 'go' } });
  await kept.opened;
  await (await folder.carrier()).pipeline.leave();
  await folder.close();
  const table = await openLmdbTable(join(cwd, '.cadre/store'));
  onTestFinished(() => table.close());
  const lock = { partition: 'running', sort: id };
  const { version } = (await table.get(lock)) ?? { version: 0 };
  await table.putIfVersion(lock, DEAD, version);

  expect(await typed(['runs', '--older-than', '1d'], cwd)).toEqual({
    code: 0,
    out: expect.stringMatching(new RegExp(`^deleted ${id}, began 2026-01-01 .*, 0 runs\n$`)),
    err: '',
  });

  const left = [];
  for (const partition of [`run#${id}`, 'running', 'runs']) {
    for await (const item of table.query(partition, '')) left.push(item.key);
  }
  expect(left).toEqual([]);
});
