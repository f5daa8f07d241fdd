import { expect, test } from 'vitest';
import { FORMAT } from '../../../src/core/machine/format.ts';
import { openStage } from '../../fixtures/stage.ts';

const roles = {
  top: ({ turn }: { turn: number }) =>
    turn === 1 ? [{ id: 'c', name: 'call_agent', arguments: { agent: 'kid', task: 'x' } }] : 'done',
  kid: () => 'small',
};
const extra = { top: 'sub_agents = ["kid"]\n' };

test('every input of an execution and every record carries the format that it is in', async () => {
  const { run, pipeline } = await openStage(roles, extra);
  const { tree } = await run();
  expect(tree.map(({ agent, v }) => [agent, v])).toEqual([
    ['top', FORMAT],
    ['kid', FORMAT],
  ]);
  const inputs = tree.map(({ execution }) => pipeline.machines.describeExecution(execution).input);
  expect(inputs).toEqual([
    { v: FORMAT, agent: 'top', run: tree[0]?.id, depth: 0 },
    expect.objectContaining({ v: FORMAT, run: tree[1]?.id }),
  ]);
});

test.each([
  ['without a format, which is of the first', {}],
  ['of the first format', { v: 1 }],
])('an input %s is carried out', async (_, format) => {
  const { pipeline } = await openStage(roles, extra);
  const execution = await pipeline.executions.start('by-hand', { ...format, agent: 'top', prompt: 'go' });
  expect(await pipeline.executions.wait(execution)).toMatchObject({ status: 'SUCCEEDED' });
});

test('a run of a newer version, which this one cannot read, is refused in words', async () => {
  const { pipeline } = await openStage(roles, extra);
  const id = 'top-00000000000001';
  const input = { v: FORMAT + 1, agent: 'top', run: id, prompt: 'go' };
  await pipeline.executions.wait(await pipeline.executions.start(id, input));
  await pipeline.settled();
  expect(await pipeline.store.run(id)).toMatchObject({
    status: 'failed',
    failure: {
      error: 'AgentError',
      message: `the run was started by a newer version of cadre (format ${FORMAT + 1}; this one knows ${FORMAT}): deploy that version again, and resume the run`,
    },
  });
});
