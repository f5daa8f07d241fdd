import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startRun } from '../../../src/core/lifecycle/start.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { cases } from '../../fixtures/cases.ts';
import { answerOf, byName, conversationOf, turnsOf } from '../../fixtures/conversation-trees.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { carryOutConversations, interruptions } from '../../fixtures/interrupted-trees.ts';
import { call, latch, openStage, silence } from '../../fixtures/stage.ts';

test('a tree that is stopped and killed and resumed comes to its answer, and no finished turn is paid twice', async () => {
  await fc.assert(
    fc.asyncProperty(conversationOf(2), interruptions, async (tree, planned) => {
      const { id, stage, names } = await carryOutConversations(byName('top', tree), planned);
      const { store } = stage.pipeline;
      const runs: Run[] = await store.tree(id);
      expect((await store.newestTurn(id))?.answer.text).toBe(answerOf('top', tree));
      expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['succeeded']));
      expect(runs.reduce((sum, { usage }) => sum + usage.turns, 0)).toBe(turnsOf(tree));
      expect(names.filter((name) => name.length > 80)).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
    }),
    { numRuns: cases(8) },
  );
});

describe('an execution that is redriven', () => {
  /** A top that hears three sub-agents, of which the second is silent at first. */
  async function broken() {
    const asked = latch();
    let isSilent = true;
    const stage = await openStage(
      {
        top: ({ turn, results }) =>
          turn === 1 ? ['a', 'b', 'c'].map((task) => call('kid', task)) : results.join(),
        kid({ message, signal, ...rest }) {
          const name = message.replace('Task: ', '');
          if (name !== 'b' || !isSilent) return `${name} done`;
          asked.open();
          return silence({ message, signal, ...rest });
        },
      },
      { top: 'sub_agents = ["kid"]\n' },
    );
    const { pipeline } = stage;
    const [machine] = pipeline.machines.listStateMachines();
    const id = newRunId('top', Date.now());
    return {
      stage,
      id,
      machine: { stateMachineArn: machine?.stateMachineArn ?? '', definition: machine?.definition ?? '' },
      start: () => startRun(id, { agent: 'top', prompt: 'go' }, pipeline),
      ended: async (executionArn: string) => {
        const { status } = await pipeline.executions.wait(executionArn);
        await pipeline.settled();
        return { status, run: await pipeline.store.run(id) };
      },
      /** The silent one is asked, and the others have answered. */
      inTheMidst: async () => {
        await asked.opened;
        await expect
          .poll(async () => (await pipeline.store.tree(id)).map(({ status }) => status).sort())
          .toEqual(['running', 'running', 'succeeded', 'succeeded']);
        // A record is closed a moment before its call has ended, and a redrive begins again what had not.
        const ends = () =>
          stage
            .histories(id)
            .get(id)
            ?.filter(({ type }) => type === 'MapIterationSucceeded');
        await expect.poll(() => ends()?.length).toBe(2);
      },
      mend: () => void (isSilent = false),
      /** How often each was asked. */
      asked: () => stage.asked.map(({ agent, message, turn }) => `${agent} ${message} ${turn}`).sort(),
    };
  }
  const ONCE = ['kid Task: a 1', 'kid Task: b 1', 'kid Task: c 1', 'top go 1', 'top go 2'];

  test('after a stop takes up the sub-agents that had not ended, under names of their own', async () => {
    const { stage, id, start, ended, inTheMidst, mend, asked } = await broken();
    const { machines, executions } = stage.pipeline;
    const executionArn = await start();
    await inTheMidst();
    await executions.stop(executionArn, 'enough');
    expect(await ended(executionArn)).toMatchObject({ status: 'ABORTED', run: { status: 'stopped' } });

    machines.redriveExecution({ executionArn });
    await expect.poll(() => stage.asked.length).toBe(5);
    await executions.stop(executionArn, 'once more');
    await ended(executionArn);
    mend();
    machines.redriveExecution({ executionArn });
    expect(await ended(executionArn)).toMatchObject({
      status: 'SUCCEEDED',
      run: { status: 'succeeded', holder: 3, execution: executionArn },
    });
    expect((await stage.pipeline.store.newestTurn(id))?.answer.text).toBe('a done,b done,c done');
    expect(asked()).toEqual([...ONCE, 'kid Task: b 1', 'kid Task: b 1'].sort());
    const kid = id.replace('top', 'kid');
    expect([...stage.histories(id).keys()].sort()).toEqual(
      [id, `${kid}-t1c1`, `${kid}-t1c2`, `${kid}-t1c2-d1`, `${kid}-t1c2-d2`, `${kid}-t1c3`].sort(),
    );
  });

  test('after it was out of time goes on in the time that the run itself has left', async () => {
    const { stage, machine, start, ended, mend, asked } = await broken();
    const { machines } = stage.pipeline;
    const definition = JSON.stringify({ ...JSON.parse(machine.definition), TimeoutSeconds: 1 });
    machines.updateStateMachine({ ...machine, definition });
    const { executionArn, timedOut } = await inHeldTime(async () => {
      const executionArn = await start();
      return { executionArn, timedOut: await ended(executionArn) };
    }, 1);
    expect(timedOut).toMatchObject({ status: 'TIMED_OUT', run: { status: 'timed_out' } });
    mend();
    machines.redriveExecution({ executionArn });
    expect(await ended(executionArn)).toMatchObject({ status: 'SUCCEEDED', run: { status: 'succeeded' } });
    expect(asked()).toEqual([...ONCE, 'kid Task: b 1'].sort());
  });

  test('touches nothing when the run was resumed in another', async () => {
    const { stage, id, start, ended, inTheMidst, mend, asked } = await broken();
    const { machines, executions } = stage.pipeline;
    const executionArn = await start();
    await inTheMidst();
    await executions.stop(executionArn, 'enough');
    await ended(executionArn);
    mend();
    const resumed = await stage.resume(id);
    expect(resumed).toMatchObject({ out: 'a done,b done,c done', run: { holder: 2 } });
    machines.redriveExecution({ executionArn });
    expect(await ended(executionArn)).toEqual({ status: 'SUCCEEDED', run: resumed.run });
    expect(asked()).toEqual([...ONCE, 'kid Task: b 1'].sort());
  });
});
