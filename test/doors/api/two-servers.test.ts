import { expect, test } from 'vitest';
import { startRecorded } from '../../../src/places/start-recorded.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { createLockedExecutions } from '../../../src/places/local/locked-executions.ts';
import type { CarriedTrees } from '../../../src/places/local/carried-trees.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { latch, openStage, openStageIn, type Latch, type Stage } from '../../fixtures/stage.ts';

/** Two servers of one folder that are to start the same run, and what a model is asked there. */
async function twoServers() {
  const answering = latch();
  const roles = {
    top: async () => {
      await answering.opened;
      return 'once';
    },
  };
  const one = await openStage(roles);
  const other = await openStageIn(one.cwd, roles);
  const asked = () => one.asked.length + other.asked.length;
  return { one, other, answering, asked, id: newRunId('top', Date.now()) };
}

/** @param trees those of the stage, or others that let something happen in between */
async function start(id: string, { pipeline, cwd }: Stage, trees: CarriedTrees = pipeline.trees) {
  const executions = createLockedExecutions({ ...pipeline, trees }, (thrown) => {
    throw thrown;
  });
  const { agent } = await loadAgent('top', openAgentFolders({ cwd, env: {} }));
  const ports = { store: pipeline.store, executions, now: Date.now };
  return startRecorded({ id, request: { agent: 'top', prompt: 'go' } }, ports, async () => agent);
}

/** Trees that let this happen between a look for the run and the lock on it. */
function after(happens: () => Promise<unknown>, { pipeline: { trees } }: Stage): CarriedTrees {
  return {
    ...trees,
    async take(root) {
      await happens();
      return trees.take(root);
    },
  };
}

async function ended(answering: Latch, { pipeline }: Stage, { execution, id }: Run): Promise<void> {
  answering.open();
  await pipeline.executions.wait(execution);
  await expect.poll(() => pipeline.local.locks.isTaken(id)).toBe(false);
}

test('a run that another process has started in the meantime is that run', async () => {
  const { one, other, answering, asked, id } = await twoServers();
  let first: Run | undefined;
  const second = await start(
    id,
    other,
    after(async () => (first = await start(id, one)), other),
  );
  // It may have been opened in between.
  expect(second.execution).toBe(first?.execution);
  await ended(answering, one, second);
  expect(asked()).toBe(1);
});

test('a run that another process has carried out in the meantime is not carried out again', async () => {
  const { one, other, answering, asked, id } = await twoServers();
  const carryOut = async () => ended(answering, one, await start(id, one));
  expect(await start(id, other, after(carryOut, other))).toMatchObject({ id, status: 'succeeded' });
  expect(await other.pipeline.local.locks.isTaken(id)).toBe(false);
  expect(asked()).toBe(1);
});

test('a run of which there is no more than the lock of another process is refused', async () => {
  const { one, other, id } = await twoServers();
  await one.pipeline.local.locks.take(id);
  await expect(start(id, other)).rejects.toMatchObject({
    message: `run "${id}" is being started by another process; send the request again`,
  });
});
