import { seconds } from '../../../src/core/records/times.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLocalStore, type LocalStore } from '../../../src/places/local/local-store.ts';
import { processName } from '../../../src/places/local/process-name.ts';
import { stopByRecords } from '../../../src/places/local/stop-by-records.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { aRun } from '../../fixtures/records.ts';

const ID = 'top-00000000000000';
const run = aRun({ id: ID, model: 'm', timeout: seconds(60) });

/** A store whose run is held by another process for this purpose. */
async function heldFor(purpose: 'carry out' | 'close' | 'delete') {
  const other = spawn('sleep', ['60']);
  onTestFinished(() => void other.kill('SIGKILL'));
  const name = processName(other.pid ?? 0) ?? '';
  const cwd = await tempFolder();
  const local: LocalStore = await openLocalStore(cwd);
  await local.runs.insertRun(run);
  const table = await openLmdbTable(join(cwd, '.cadre/store'));
  onTestFinished(async () => {
    await table.close();
    await local.close();
  });
  const value = purpose === 'carry out' ? name : { process: name, purpose };
  await table.putIfAbsent({ partition: 'running', sort: ID }, value);
  /** The signal that ended it: the one that it got first. */
  const endedBy = async () => {
    other.kill('SIGTERM');
    await once(other, 'exit');
    return other.signalCode;
  };
  return { local, other, endedBy };
}

const stop = (local: LocalStore) => stopByRecords(run, 'stopped by the user', local, Date.now);

test('stop closes the records of a run that another process carries out, and sends that process no signal', async () => {
  const { local, endedBy } = await heldFor('carry out');
  await stop(local);
  expect(await local.runs.run(ID)).toMatchObject({
    status: 'stopped',
    failure: { error: 'Stopped', message: 'stopped by the user' },
  });
  expect(await endedBy()).toBe('SIGTERM');
});

test('stop closes a run of whose tree another process just closes something, and leaves that process alone', async () => {
  const { local, endedBy } = await heldFor('close');
  await stop(local);
  expect((await local.runs.run(ID))?.status).toBe('stopped');
  expect(await endedBy()).toBe('SIGTERM');
});

test('stop leaves a process alone that deletes the run', async () => {
  const { local, other, endedBy } = await heldFor('delete');
  await expect(stop(local)).rejects.toThrow(
    `run "${ID}" is being deleted by process ${other.pid}; see: cadre runs`,
  );
  expect(await endedBy()).toBe('SIGTERM');
});
