import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/json.ts';
import { definitionOf, invoke, lambdaOf, machinesWith, ROLE, type Functions } from './harness.ts';

const CHILD = 'arn:aws:states:us-east-1:123456789012:stateMachine:child';

const callChild = (more: { [field: string]: Json } = {}): { [field: string]: Json } => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::aws-sdk:sfn:startSyncExecution',
  Arguments: { StateMachineArn: CHILD, Name: 'one', Input: '{% $string($states.input) %}' },
  End: true,
  ...more,
});

/** Runs a parent that calls a child of the Express kind. */
async function run(
  parent: { [field: string]: Json },
  child: { [field: string]: Json },
  functions: Functions = {},
) {
  const statuses: string[] = [];
  const machines = machinesWith(functions, {
    invokeLambda: lambdaOf(functions),
    onStatusChange: (status, toEvent) => void statuses.push(`${toEvent().detail.name} ${status}`),
  });
  machines.createStateMachine({ name: 'child', type: 'EXPRESS', definition: child, roleArn: ROLE });
  const { stateMachineArn } = machines.createStateMachine({
    name: 'parent',
    definition: parent,
    roleArn: ROLE,
  });
  const { executionArn } = machines.startExecution({ stateMachineArn, name: 'p', input: { n: 1 } });
  const ended = await machines.ended(executionArn);
  const children = machines.listExecutions({ stateMachineArn: CHILD });
  const types = machines.getExecutionHistory({ executionArn }).map(({ type }) => type);
  return { machines, ended, children, statuses, types };
}

const adds = definitionOf({ Add: { Type: 'Pass', Output: '{% $states.input.n + 1 %}', End: true } });

describe('startSyncExecution', () => {
  test('waits for an Express execution, whose description it gives as texts', async () => {
    const { ended, statuses, types } = await run(definitionOf({ Call: callChild() }), adds);
    const arn = expect.stringMatching(
      /^arn:aws:states:us-east-1:123456789012:express:child:one:[0-9a-f-]{36}$/,
    );
    expect(ended.output).toEqual({
      BillingDetails: { BilledDurationInMilliseconds: 0, BilledMemoryUsedInMB: 64 },
      ExecutionArn: arn,
      Input: '{"n":1}',
      InputDetails: { Included: true },
      Name: 'one',
      Output: '2',
      OutputDetails: { Included: true },
      StartDate: '2030-01-01T00:00:00.000Z',
      StateMachineArn: CHILD,
      Status: 'SUCCEEDED',
      StopDate: '2030-01-01T00:00:00.000Z',
    });
    expect(types).toEqual([
      'ExecutionStarted',
      'TaskStateEntered',
      'TaskScheduled',
      'TaskStarted',
      'TaskSucceeded',
      'TaskStateExited',
      'ExecutionSucceeded',
    ]);
    // Nobody else is told of it.
    expect(statuses).toEqual(['p RUNNING', 'p SUCCEEDED']);
  });

  test('succeeds with whatever end it comes to', async () => {
    const fails = definitionOf({ No: { Type: 'Fail', Error: 'Own', Cause: 'because' } });
    expect((await run(definitionOf({ Call: callChild() }), fails)).ended).toMatchObject({
      status: 'SUCCEEDED',
      output: { Status: 'FAILED', Error: 'Own', Cause: 'because' },
    });
    const waits = definitionOf({ Wait: { Type: 'Wait', Seconds: 1000, End: true } });
    const late = await run(definitionOf({ Call: callChild() }), waits);
    expect(late.ended.output).toMatchObject({
      Status: 'TIMED_OUT',
      BillingDetails: { BilledDurationInMilliseconds: 300_000 },
    });
  });

  test('starts another one for an equal request', async () => {
    const { End: _, ...next } = callChild({ Next: 'Two' });
    const { children } = await run(definitionOf({ One: next, Two: callChild() }), adds);
    expect(children).toHaveLength(2);
  });

  test('leaves it to end by itself where the task ends before it', async () => {
    const { ended, children } = await run(
      definitionOf({ Call: callChild({ TimeoutSeconds: 10 }) }),
      definitionOf({ Work: invoke('work') }),
      { work: () => new Promise(() => {}) },
    );
    expect(ended).toMatchObject({ status: 'FAILED', error: 'States.Timeout' });
    expect(children.map(({ status }) => status)).toEqual(['RUNNING']);
  });

  test('is refused by the names of the SDK', async () => {
    const other = { Arguments: { StateMachineArn: CHILD.replace('child', 'parent'), Input: '{}' } };
    const { ended } = await run(definitionOf({ Call: callChild(other) }), adds);
    expect(ended).toMatchObject({ status: 'FAILED', error: 'Sfn.StateMachineTypeNotSupportedException' });
  });
});

test('the service does not start an Express execution by itself, nor let one wait for a token', async () => {
  const { machines } = await run(definitionOf({ Call: callChild() }), adds);
  expect(() => machines.startExecution({ stateMachineArn: CHILD })).toThrow(/not supported/);
  const definition = definitionOf({
    Wait: { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken', End: true },
  });
  expect(() =>
    machines.createStateMachine({ name: 'other', type: 'EXPRESS', definition, roleArn: ROLE }),
  ).toThrow(/Express state machines do not support/);
});
