import { expect, test } from 'vitest';
import definition from '../../infra/scheduled-start.asl.json' with { type: 'json' };
import { FORMAT } from '../../src/core/machine/format.ts';
import { tickKey, tickRunId } from '../../src/core/records/run-id.ts';
import { checkDefinitionText } from '../../src/asl/definition/check-definition.ts';
import type { Json } from '../../src/json.ts';
import { createStateMachines } from '../../src/asl/create-state-machines.ts';
import type { StateMachines } from '../../src/asl/state-machines.ts';
import { inHeldTime } from '../fixtures/held-time.ts';

const PASS = { QueryLanguage: 'JSONata', StartAt: 'Done', States: { Done: { Type: 'Succeed' } } };
const TICK = {
  agent: 'daily',
  prompt: 'What happened yesterday?',
  time: '2026-11-21T07:00:00Z',
  prefix: 'daily',
  suffix: tickKey('daily'),
};
const roleArn = 'arn:aws:iam::123456789012:role/cadre';

test('two starts of one tick make one run, whose id follows from agent and time', async () => {
  const { machines, schedule, conversation } = open();
  const ends = [];
  for (const name of ['first', 'second']) {
    const { executionArn } = machines.startExecution({ stateMachineArn: schedule, name, input: TICK });
    ends.push(await machines.ended(executionArn));
  }
  expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  const runs = machines
    .listExecutions({ stateMachineArn: conversation })
    .map(({ executionArn }) => machines.describeExecution(executionArn));
  expect(runs.map(({ name }) => name)).toEqual([tickRunId('daily', Date.parse(TICK.time))]);
  const [run] = runs;
  expect(run?.input).toEqual({
    v: FORMAT,
    agent: 'daily',
    prompt: 'What happened yesterday?',
    AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID: ends[0]?.executionArn,
  });
});

test('a budget of the schedule reaches the run', async () => {
  const { machines, schedule, conversation } = open();
  const input = { ...TICK, budget: { tokens: 5000 } };
  const { executionArn } = machines.startExecution({ stateMachineArn: schedule, input });
  await machines.ended(executionArn);
  const [run] = machines.listExecutions({ stateMachineArn: conversation });
  expect(run?.input).toMatchObject({ agent: 'daily', budget: { tokens: 5000 } });
});

test('how models serve its runs reaches the run', async () => {
  const { machines, schedule, conversation } = open();
  const { executionArn } = machines.startExecution({
    stateMachineArn: schedule,
    input: { ...TICK, service: 'batch' },
  });
  await machines.ended(executionArn);
  const [run] = machines.listExecutions({ stateMachineArn: conversation });
  expect(run?.input).toMatchObject({ agent: 'daily', service: 'batch' });
});

test('the next tick is another run', async () => {
  const { machines, schedule, conversation } = open();
  for (const time of [TICK.time, '2026-11-22T07:00:00Z']) {
    const { executionArn } = machines.startExecution({ stateMachineArn: schedule, input: { ...TICK, time } });
    await machines.ended(executionArn);
  }
  expect(machines.listExecutions({ stateMachineArn: conversation })).toHaveLength(2);
});

test('a tick that comes while everything is paused starts nothing', async () => {
  const asked: unknown[] = [];
  const { machines, schedule, conversation } = open((...given) => {
    asked.push(given);
    return { paused: '2026-11-21T03:00:00.000Z' };
  });
  const { executionArn } = machines.startExecution({ stateMachineArn: schedule, input: TICK });
  expect(await machines.ended(executionArn)).toMatchObject({ status: 'SUCCEEDED' });
  expect(machines.listExecutions({ stateMachineArn: conversation })).toEqual([]);
  expect(asked).toEqual([['control', { look: 'pause' }]]);
});

test('a tick of which nobody can say whether everything is paused starts its run, which then waits itself', async () => {
  const { machines, schedule, conversation } = open(() => {
    throw new Error('no function answers');
  });
  const ended = await inHeldTime(async () => {
    const { executionArn } = machines.startExecution({ stateMachineArn: schedule, input: TICK });
    return machines.ended(executionArn);
  }, 1_000);
  expect(ended).toMatchObject({ status: 'SUCCEEDED' });
  expect(machines.listExecutions({ stateMachineArn: conversation })).toHaveLength(1);
});

/** The two machines of a stack. */
function open(looked: (name: string, payload: Json) => unknown = () => ({})): {
  machines: StateMachines;
  schedule: string;
  conversation: string;
} {
  const machines = createStateMachines({
    invokeLambda: async (name, payload) => ({ payload: looked(name, payload) }),
    checkDefinition: checkDefinitionText,
  });
  const { stateMachineArn: conversation } = machines.createStateMachine({
    name: 'cadre',
    definition: PASS,
    roleArn,
  });
  const { stateMachineArn: schedule } = machines.createStateMachine({
    name: 'cadre-schedule',
    definition: JSON.stringify(definition)
      .replace('${ConversationMachine}', conversation)
      .replace('${ControlFunction}', 'control')
      .replaceAll('${Partition}', 'aws'),
    roleArn,
  });
  return { machines, schedule, conversation };
}
