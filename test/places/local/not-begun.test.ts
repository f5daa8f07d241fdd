import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { StoreError } from '../../../src/errors.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { CONTRACT_FILES, openProcess } from '../contract-folder.ts';

test('nothing stays of what could not be begun', async () => {
  const cwd = await tempFolder(CONTRACT_FILES);
  const local = await openLocalStore(cwd);
  const folder = await openProcess(cwd, {
    ...local,
    runs: {
      ...local.runs,
      saveRequest: () => Promise.reject(new StoreError('no room')),
    },
  });
  const id = newRunId('echo', Date.now());
  await local.runs.saveAttachment(id, 'words', { data: 'd29yZHM=' });
  const request = { agent: 'echo', prompt: 'go' };
  await expect(folder.start({ id, request })).rejects.toThrow('no room');
  await folder.close();

  const table = await openLmdbTable(join(cwd, '.cadre/store'));
  onTestFinished(() => table.close());
  const left = [];
  for (const partition of [`run#${id}`, 'running', 'runs']) {
    for await (const item of table.query(partition, '')) left.push(item.key);
  }
  expect(left).toEqual([]);
});
