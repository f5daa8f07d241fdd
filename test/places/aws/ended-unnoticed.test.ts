import { NO_UPLOADS } from '../../fixtures/no-uploads.ts';
import { expect, test } from 'vitest';
import type { ExecutionEnd } from '../../../src/core/machine/executions.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { STOPPED } from '../../../src/core/records/closing-reason.ts';
import { shownTree } from '../../../src/core/reports/shown-tree.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { stopAndWait } from '../../../src/places/stop-and-wait.ts';
import { createDeployedEnvironment } from '../../../src/places/aws/deployed-environment.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { anOpened, aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';

const top = aRun({ timeout: seconds(60) });
const kid = aSubAgent(top, { execution: 'arn of kid' });

/** An environment from which no event about an execution comes. */
async function openLossy(end: ExecutionEnd | undefined, below = kid) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  for (const run of [below, top]) await keepRun(store, run);
  await store.saveOpened(top.id, anOpened({ budget: { tokens: 100 } }));
  const asked: string[] = [];
  const killed: string[] = [];
  const endOf = async (execution: string) => {
    asked.push(execution);
    return end;
  };
  const unused = () => Promise.reject(new Error('not called'));
  let now = Date.parse(top.startedAt);
  const environment = createDeployedEnvironment({
    name: 'dev',
    store,
    executions: {
      ...NOTHING_RUNS.executions,
      endOf,
      isRunning: async (execution) => (await endOf(execution)) === undefined,
    },
    now: () => now,
    check: async () => undefined,
    wakeAsker: unused,
    send: unused,
    uploads: NO_UPLOADS,
    async kill({ id }) {
      killed.push(id);
      return [id];
    },
    publish: unused,
  });
  const shown = async (afterSeconds: number) => {
    now = Date.parse(top.startedAt) + 1000 * afterSeconds;
    return (await shownTree(top, environment.records)).map(({ status }) => status);
  };
  const closed = async () =>
    (await store.tree(top.id)).map(({ status, failure }) => `${status}: ${failure?.message ?? ''}`);
  return { environment, asked, shown, closed, killed };
}

test('a run whose time is over is shown as interrupted if its execution has ended, for which no other is asked', async () => {
  const { shown, asked } = await openLossy({ status: 'ABORTED' });
  expect(await shown(100)).toEqual(['running', 'running']);
  expect(asked).toEqual([]);
  expect(await shown(130)).toEqual(['interrupted', 'interrupted']);
  expect(asked).toEqual([top.execution]);
  expect(await (await openLossy(undefined)).shown(130)).toEqual(['running', 'running']);
});

test.each<[ExecutionEnd, string]>([
  [{ status: 'ABORTED', cause: 'enough' }, 'stopped: enough'],
  [{ status: 'FAILED', error: 'AgentError', cause: 'no model' }, 'failed: no model'],
])('a stop closes what no event has closed, as its execution has ended: %j', async (end, how) => {
  const { environment, closed } = await openLossy(end);
  await environment.stop(top, 'enough');
  const below = end.status === 'ABORTED' ? STOPPED : 'agent "top", which it was started by, has ended';
  expect(await closed()).toEqual([how, `stopped: ${below}`]);
});

test('a stop whose record is not closed in time says where to look', async () => {
  const { environment } = await openLossy(undefined);
  const stop = stopAndWait(top, { ...environment, ended: async () => top }, 'bob');
  await expect(stop).rejects.toThrow(`not closed yet; see: cadre show ${top.id} --env dev`);
});

test('a run at work that was to be resumed with more budget has none of it', async () => {
  const { environment } = await openLossy(undefined);
  await expect(environment.resume(top, { add: { tokens: 10 } })).rejects.toThrow('is running');
  expect((await environment.records.run(top.id))?.added).toBeUndefined();
});

test('a leaf in an Express execution is not stopped alone: it might go on in another execution', async () => {
  const leaf = {
    ...kid,
    execution: 'arn:aws:states:us-east-1:123456789012:express:cadre-dev-leaves:one:two',
  };
  const { environment, asked, closed } = await openLossy(undefined, leaf);
  await expect(environment.stop(leaf, 'enough')).rejects.toThrow(
    `"${leaf.id}" runs in an Express execution, which cannot be stopped alone; stop its caller with: cadre stop ${top.id} --env dev, or end it for good with: cadre kill ${leaf.id} --env dev`,
  );
  expect(await closed()).toEqual(['running: ', 'running: ']);
  expect(asked).toEqual([]);
});

test('a kill closes a run whose execution has ended unnoticed as that has ended, and kills nothing', async () => {
  const { environment, closed, killed } = await openLossy({ status: 'FAILED', cause: 'no model' });
  await expect(environment.kill(kid)).rejects.toThrow('has ended for good: its status is failed');
  expect(await closed()).toEqual(['running: ', 'failed: no model']);
  expect(killed).toEqual([]);
  const working = await openLossy(undefined);
  expect(await working.environment.kill(kid)).toEqual([kid.id]);
});
