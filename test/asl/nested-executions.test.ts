import { describe, expect, it, test } from 'vitest';
import type { Json } from '../../src/json.ts';
import type { StateMachines } from '../../src/asl/state-machines.ts';
import {
  definitionOf,
  eventsOf,
  invoke,
  lambdaOf,
  machinesWith,
  ROLE,
  VirtualClock,
  type Functions,
} from './harness.ts';

const CHILD = 'arn:aws:states:us-east-1:123456789012:stateMachine:child';
const CHILD_RUN = 'arn:aws:states:us-east-1:123456789012:execution:child:one';
const SYNC = 'arn:aws:states:::states:startExecution.sync:2';

const callChild = (more: { [field: string]: Json } = {}): { [field: string]: Json } => ({
  Type: 'Task',
  Resource: SYNC,
  Arguments: {
    StateMachineArn: CHILD,
    Name: 'one',
    Input: {
      n: '{% $states.input.n %}',
      AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID: '{% $states.context.Execution.Id %}',
    },
  },
  End: true,
  ...more,
});
const wait = { Type: 'Wait', Seconds: 1000, End: true };

/** Starts a parent that calls the child once. */
function start(
  parent: { [field: string]: Json },
  child: { [field: string]: Json },
  functions: Functions = {},
): { machines: StateMachines; parentArn: string } {
  const machines = machinesWith(functions);
  machines.createStateMachine({ name: 'child', definition: child, roleArn: ROLE });
  const { stateMachineArn } = machines.createStateMachine({
    name: 'parent',
    definition: parent,
    roleArn: ROLE,
  });
  const { executionArn } = machines.startExecution({ stateMachineArn, name: 'p', input: { n: 1 } });
  return { machines, parentArn: executionArn };
}

describe('startExecution', () => {
  it('.sync:2 waits for the child and gives its description with values', async () => {
    const { machines, parentArn } = start(
      definitionOf({ Call: callChild() }),
      definitionOf({ Add: { Type: 'Pass', Output: '{% $states.input.n + 1 %}', End: true } }),
    );
    const { output } = await machines.ended(parentArn);
    const input = { n: 1, AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID: parentArn };
    expect(output).toEqual({
      ExecutionArn: CHILD_RUN,
      Input: input,
      InputDetails: { Included: true },
      Name: 'one',
      Output: 2,
      OutputDetails: { Included: true },
      RedriveCount: 0,
      RedriveStatus: 'NOT_REDRIVABLE',
      RedriveStatusReason: 'Execution is SUCCEEDED and cannot be redriven',
      StartDate: expect.any(Number),
      StateMachineArn: CHILD,
      Status: 'SUCCEEDED',
      StopDate: expect.any(Number),
    });
    expect(eventsOf(machines, parentArn).slice(2, 6)).toEqual([
      '3<-2 TaskScheduled',
      '4<-3 TaskStarted',
      '5<-4 TaskSubmitted',
      '6<-5 TaskSucceeded',
    ]);
    expect(machines.describeExecution(CHILD_RUN).input).toEqual(input);
  });

  it('.sync gives input and output as JSON texts', async () => {
    const { machines, parentArn } = start(
      definitionOf({ Call: callChild({ Resource: 'arn:aws:states:::states:startExecution.sync' }) }),
      definitionOf({ Give: { Type: 'Pass', Output: { a: [1] }, End: true } }),
    );
    expect((await machines.ended(parentArn)).output).toMatchObject({
      Output: '{"a":[1]}',
      Input: expect.stringContaining('"n":1'),
    });
  });

  it('goes on at once without .sync', async () => {
    const { machines, parentArn } = start(
      definitionOf({ Call: callChild({ Resource: 'arn:aws:states:::states:startExecution' }) }),
      definitionOf({ Wait: wait }),
    );
    const { output } = await machines.ended(parentArn);
    expect(output).toMatchObject({ ExecutionArn: CHILD_RUN, StartDate: expect.any(Number) });
    expect(machines.describeExecution(CHILD_RUN).status).toBe('RUNNING');
  });

  it('fails with States.TaskFailed when the child fails, the cause being the description of the child', async () => {
    const { machines, parentArn } = start(
      definitionOf({ Call: callChild() }),
      definitionOf({ Fail: { Type: 'Fail', Error: 'Bad', Cause: 'very' } }),
    );
    const { status, error, cause } = await machines.ended(parentArn);
    expect({ status, error }).toEqual({ status: 'FAILED', error: 'States.TaskFailed' });
    expect(JSON.parse(cause ?? '')).toEqual({
      Cause: 'very',
      Error: 'Bad',
      ExecutionArn: CHILD_RUN,
      Input: expect.stringContaining('"n":1'),
      InputDetails: { Included: true },
      Name: 'one',
      RedriveCount: 0,
      RedriveStatus: 'REDRIVABLE',
      StartDate: expect.any(Number),
      StateMachineArn: CHILD,
      Status: 'FAILED',
      StopDate: expect.any(Number),
    });
  });

  it('cuts the cause at 32,768 characters', async () => {
    const { machines, parentArn } = start(
      definitionOf({
        Call: callChild({ Arguments: { StateMachineArn: CHILD, Input: { text: 'x'.repeat(50_000) } } }),
      }),
      definitionOf({ Fail: { Type: 'Fail' } }),
    );
    expect((await machines.ended(parentArn)).cause).toHaveLength(32_768);
  });

  it('stops the child when the task is out of time', async () => {
    const { machines, parentArn } = start(
      definitionOf({ Call: callChild({ TimeoutSeconds: 3 }) }),
      definitionOf({ Wait: wait }),
    );
    expect(await machines.ended(parentArn)).toMatchObject({ status: 'FAILED', error: 'States.Timeout' });
    const child = machines.describeExecution(CHILD_RUN);
    expect(child).toMatchObject({ status: 'ABORTED', stopDate: new Date(child.startDate.getTime() + 3000) });
  });

  it('stops the whole tree when its root is stopped, and aborts what the leaves wait for', async () => {
    let invoked = () => {};
    const called = new Promise<void>((resolve) => (invoked = resolve));
    let aborted = false;
    const machines = machinesWith({
      hang: (_, signal) => {
        invoked();
        signal.addEventListener('abort', () => (aborted = true));
        return new Promise<Json>(() => {});
      },
    });
    machines.createStateMachine({
      name: 'child',
      definition: definitionOf({ Hang: invoke('hang') }),
      roleArn: ROLE,
    });
    const middle = definitionOf({ Call: callChild() });
    machines.createStateMachine({ name: 'middle', definition: middle, roleArn: ROLE });
    const root = definitionOf({
      Each: {
        Type: 'Map',
        Items: [1],
        ItemProcessor: {
          StartAt: 'Call',
          States: {
            Call: callChild({
              Arguments: { StateMachineArn: CHILD.replace('child', 'middle'), Name: 'two', Input: { n: 1 } },
            }),
          },
        },
        End: true,
      },
    });
    const { stateMachineArn } = machines.createStateMachine({
      name: 'root',
      definition: root,
      roleArn: ROLE,
    });
    const { executionArn } = machines.startExecution({ stateMachineArn, name: 'r' });
    await called;
    machines.stopExecution({ executionArn, error: 'Enough', cause: 'of this' });
    expect(machines.describeExecution(executionArn)).toMatchObject({
      status: 'ABORTED',
      error: 'Enough',
      cause: 'of this',
    });
    expect(machines.describeExecution(CHILD_RUN.replace('child:one', 'middle:two')).status).toBe('ABORTED');
    expect(machines.describeExecution(CHILD_RUN).status).toBe('ABORTED');
    expect(aborted).toBe(true);
    expect(eventsOf(machines, executionArn).at(-1)).toBe('9<-0 ExecutionAborted');
  });

  it('stops the child of an iteration when another iteration fails', async () => {
    const each = {
      Type: 'Map',
      Items: ['call', 'fail'],
      ItemProcessor: {
        StartAt: 'Which?',
        States: {
          'Which?': {
            Type: 'Choice',
            Choices: [{ Condition: '{% $states.input = "call" %}', Next: 'Call' }],
            Default: 'Pause',
          },
          Pause: { Type: 'Wait', Seconds: 7, Next: 'Fail' },
          Fail: { Type: 'Fail', Error: 'Other' },
          Call: callChild({ Arguments: { StateMachineArn: CHILD, Name: 'one' } }),
        },
      },
      End: true,
    };
    const { machines, parentArn } = start(definitionOf({ Each: each }), definitionOf({ Wait: wait }));
    expect(await machines.ended(parentArn)).toMatchObject({ status: 'FAILED', error: 'Other' });
    const child = machines.describeExecution(CHILD_RUN);
    expect(child).toMatchObject({ status: 'ABORTED', stopDate: new Date(child.startDate.getTime() + 7000) });
  });

  it('fails a task whose child cannot be started', async () => {
    const missing = callChild({ Arguments: { StateMachineArn: CHILD.replace('child', 'nobody') } });
    const { machines, parentArn } = start(definitionOf({ Call: missing }), definitionOf({ Wait: wait }));
    expect(await machines.ended(parentArn)).toMatchObject({
      status: 'FAILED',
      error: 'StepFunctions.StateMachineDoesNotExistException',
      cause: expect.stringContaining(
        "State Machine Does Not Exist: 'arn:aws:states:us-east-1:123456789012:stateMachine:nobody'",
      ),
    });
  });

  it('finds the child that is there when the same start is repeated, and refuses another of the name', async () => {
    const twice = (input: Json) =>
      definitionOf({
        Both: {
          Type: 'Parallel',
          Branches: [1, 2].map((n) => ({
            StartAt: `Call${n}`,
            States: {
              [`Call${n}`]: callChild({
                Arguments: { StateMachineArn: CHILD, Name: 'one', Input: n === 1 ? { n: 1 } : input },
                Output: '{% $states.result.Output %}',
              }),
            },
          })),
          End: true,
        },
      });
    const child = definitionOf({ Wait: { ...wait, Seconds: 1 } });
    const same = start(twice({ n: 1 }), child);
    expect((await same.machines.ended(same.parentArn)).output).toEqual([{ n: 1 }, { n: 1 }]);
    const other = start(twice({ n: 2 }), child);
    expect(await other.machines.ended(other.parentArn)).toMatchObject({
      status: 'FAILED',
      error: 'StepFunctions.ExecutionAlreadyExistsException',
    });
  });
});

describe('a start', () => {
  it('with the name and input of one that runs is the same execution, and otherwise refused', async () => {
    const machines = machinesWith();
    const { stateMachineArn } = machines.createStateMachine({
      name: 'm',
      definition: definitionOf({ Wait: wait }),
      roleArn: ROLE,
    });
    const first = machines.startExecution({ stateMachineArn, name: 'a', input: { n: 1 } });
    expect(machines.startExecution({ stateMachineArn, name: 'a', input: { n: 1 } })).toEqual(first);
    const refusal = expect.objectContaining({
      name: 'ExecutionAlreadyExists',
      message: `Execution Already Exists: '${first.executionArn}'`,
    });
    expect(() => machines.startExecution({ stateMachineArn, name: 'a', input: { n: 2 } })).toThrow(refusal);
    await machines.ended(first.executionArn);
    expect(() => machines.startExecution({ stateMachineArn, name: 'a', input: { n: 1 } })).toThrow(refusal);
  });
});

describe('executions that have ended', () => {
  it('are forgotten, the oldest first, when there are more than are kept', async () => {
    const machines = machinesWith(
      {},
      { keepEnded: 2, clock: new VirtualClock(), invokeLambda: lambdaOf({}) },
    );
    const { stateMachineArn } = machines.createStateMachine({
      name: 'm',
      definition: definitionOf({ Done: { Type: 'Succeed' } }),
      roleArn: ROLE,
    });
    for (const name of ['a', 'b', 'c', 'd'])
      await machines.ended(machines.startExecution({ stateMachineArn, name }).executionArn);
    expect(machines.listExecutions({ stateMachineArn }).map(({ name }) => name)).toEqual(['d', 'c']);
    expect(() => machines.describeExecution('arn:aws:states:us-east-1:123456789012:execution:m:a')).toThrow(
      expect.objectContaining({ name: 'ExecutionDoesNotExist' }),
    );
  });
});

test.each([
  ['STANDARD', SYNC, 'StepFunctions.ExecutionLimitExceededException'],
  ['EXPRESS', 'arn:aws:states:::aws-sdk:sfn:startSyncExecution', 'Sfn.ThrottlingException'],
] as const)(
  'where there is no room for one of the type %s, it is started again',
  async (type, Resource, error) => {
    const rooms = [false, false, true];
    const machines = machinesWith({}, { hasRoom: () => rooms.shift() === true });
    machines.createStateMachine({
      name: 'child',
      type,
      definition: definitionOf({ Do: { Type: 'Pass', End: true } }),
      roleArn: ROLE,
    });
    const Retry = [{ ErrorEquals: [error], MaxAttempts: 2 }];
    const Arguments = { StateMachineArn: CHILD, Name: 'one', Input: '{}' };
    const { stateMachineArn } = machines.createStateMachine({
      name: 'parent',
      definition: definitionOf({
        Call: { Type: 'Task', Resource, Arguments, Retry, Output: 'done', End: true },
      }),
      roleArn: ROLE,
    });
    const { executionArn } = machines.startExecution({ stateMachineArn, name: 'p' });
    expect(await machines.ended(executionArn)).toMatchObject({ status: 'SUCCEEDED', output: 'done' });
    expect(rooms).toEqual([]);
    rooms.push(false, false, false);
    const { executionArn: refused } = machines.startExecution({ stateMachineArn, name: 'q' });
    expect(await machines.ended(refused)).toMatchObject({
      status: 'FAILED',
      error,
      cause: expect.stringContaining('Rate exceeded'),
    });
  },
);
