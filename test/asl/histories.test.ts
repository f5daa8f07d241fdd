import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import { definitionOf, INVOKE, invoke, run } from './harness.ts';

const pass = { Type: 'Pass', End: true };
const boom = () => {
  throw Object.assign(new Error('it broke'), { name: 'Boom' });
};

describe('the history of an execution', () => {
  it('tells each step of a task, a choice and the end', async () => {
    const { machines, execution, events } = await run(
      definitionOf({
        Ask: invoke('double', { Next: 'Enough?' }),
        'Enough?': {
          Type: 'Choice',
          Choices: [{ Condition: '{% $states.input > 5 %}', Next: 'Done' }],
          Default: 'Ask',
        },
        Done: { Type: 'Succeed' },
      }),
      { input: 2, functions: { double: (payload) => Number(payload) * 2 } },
    );
    expect(execution).toMatchObject({ status: 'SUCCEEDED', output: 8 });
    expect(events).toEqual([
      '1<-0 ExecutionStarted',
      '2<-0 TaskStateEntered Ask',
      '3<-2 TaskScheduled',
      '4<-3 TaskStarted',
      '5<-4 TaskSucceeded',
      '6<-5 TaskStateExited Ask',
      '7<-6 ChoiceStateEntered Enough?',
      '8<-7 ChoiceStateExited Enough?',
      '9<-8 TaskStateEntered Ask',
      '10<-9 TaskScheduled',
      '11<-10 TaskStarted',
      '12<-11 TaskSucceeded',
      '13<-12 TaskStateExited Ask',
      '14<-13 ChoiceStateEntered Enough?',
      '15<-14 ChoiceStateExited Enough?',
      '16<-15 SucceedStateEntered Done',
      '17<-16 SucceedStateExited Done',
      '18<-17 ExecutionSucceeded',
    ]);
    const [, entered, scheduled, started] = machines.getExecutionHistory({
      executionArn: execution.executionArn,
    });
    const timestamp = expect.any(Number);
    expect([entered, scheduled, started]).toEqual([
      {
        id: 2,
        previousEventId: 0,
        timestamp,
        type: 'TaskStateEntered',
        stateEnteredEventDetails: { name: 'Ask', input: '2', inputDetails: { truncated: false } },
      },
      {
        id: 3,
        previousEventId: 2,
        timestamp,
        type: 'TaskScheduled',
        taskScheduledEventDetails: {
          resourceType: 'lambda',
          resource: 'invoke',
          region: 'us-east-1',
          parameters: '{"FunctionName":"double","Payload":2}',
        },
      },
      {
        id: 4,
        previousEventId: 3,
        timestamp,
        type: 'TaskStarted',
        taskStartedEventDetails: { resourceType: 'lambda', resource: 'invoke' },
      },
    ]);
  });

  it('tells what is assigned where a state is left, and takes a condition that always holds', async () => {
    const { machines, execution } = await run(
      definitionOf({
        Keep: { Type: 'Pass', Assign: { a: [1], b: '{% $states.input %}' }, Next: 'Always' },
        Always: { Type: 'Choice', Choices: [{ Condition: true, Next: 'Give' }], Default: 'Never' },
        Give: { Type: 'Pass', Output: '{% $b %}', End: true },
        Never: { Type: 'Fail' },
      }),
      { input: 'x' },
    );
    expect(execution).toMatchObject({ status: 'SUCCEEDED', output: 'x' });
    const left = machines
      .getExecutionHistory({ executionArn: execution.executionArn })
      .flatMap(({ stateExitedEventDetails: details }) => (details === undefined ? [] : [details]));
    expect(left).toEqual([
      {
        name: 'Keep',
        output: '"x"',
        outputDetails: { truncated: false },
        assignedVariables: { a: '[1]', b: '"x"' },
        assignedVariablesDetails: { truncated: false },
      },
      { name: 'Always', output: '"x"', outputDetails: { truncated: false } },
      { name: 'Give', output: '"x"', outputDetails: { truncated: false } },
    ]);
  });

  it('leaves values out on request, and is turned round on request', async () => {
    const { machines, execution } = await run(definitionOf({ Only: pass }), { input: { secret: 1 } });
    const { executionArn } = execution;
    const bare = machines.getExecutionHistory({
      executionArn,
      includeExecutionData: false,
      reverseOrder: true,
    });
    expect(bare.map(({ type }) => type)).toEqual([
      'ExecutionSucceeded',
      'PassStateExited',
      'PassStateEntered',
      'ExecutionStarted',
    ]);
    expect(JSON.stringify(bare)).not.toContain('secret');
  });

  it('lets the next iteration follow on the last state of the one that made room for it', async () => {
    const { events, execution } = await run(
      definitionOf({
        Each: {
          Type: 'Map',
          Items: ['a', 'b'],
          MaxConcurrency: 1,
          ItemProcessor: { StartAt: 'Keep', States: { Keep: pass } },
          End: true,
        },
      }),
    );
    expect(execution.output).toEqual(['a', 'b']);
    expect(events).toEqual([
      '1<-0 ExecutionStarted',
      '2<-0 MapStateEntered Each',
      '3<-2 MapStateStarted',
      '4<-3 MapIterationStarted',
      '5<-4 PassStateEntered Keep',
      '6<-5 PassStateExited Keep',
      '7<-6 MapIterationSucceeded',
      '8<-6 MapIterationStarted',
      '9<-8 PassStateEntered Keep',
      '10<-9 PassStateExited Keep',
      '11<-10 MapIterationSucceeded',
      '12<-11 MapStateSucceeded',
      '13<-11 MapStateExited Each',
      '14<-13 ExecutionSucceeded',
    ]);
  });

  it('tells of an iteration that fails and is tolerated, and of the task in which it did', async () => {
    const odd = (payload: Json) => (payload === 1 ? boom() : payload);
    const { events, execution } = await run(
      definitionOf({
        Each: {
          Type: 'Map',
          Items: [1, 2],
          MaxConcurrency: 1,
          ToleratedFailureCount: 1,
          ItemProcessor: { StartAt: 'Try', States: { Try: invoke('odd') } },
          End: true,
        },
      }),
      { functions: { odd } },
    );
    expect(execution.output).toEqual([2]);
    expect(events).toEqual([
      '1<-0 ExecutionStarted',
      '2<-0 MapStateEntered Each',
      '3<-2 MapStateStarted',
      '4<-3 MapIterationStarted',
      '5<-4 TaskStateEntered Try',
      '6<-5 TaskScheduled',
      '7<-6 TaskStarted',
      '8<-7 TaskFailed',
      '9<-8 TaskStateAborted',
      '10<-8 MapIterationFailed',
      '11<-8 MapIterationStarted',
      '12<-11 TaskStateEntered Try',
      '13<-12 TaskScheduled',
      '14<-13 TaskStarted',
      '15<-14 TaskSucceeded',
      '16<-15 TaskStateExited Try',
      '17<-16 MapIterationSucceeded',
      '18<-17 MapStateSucceeded',
      '19<-17 MapStateExited Each',
      '20<-19 ExecutionSucceeded',
    ]);
  });

  it('gives each branch of a Parallel a chain of its own', async () => {
    const { events, execution } = await run(
      definitionOf({
        Both: {
          Type: 'Parallel',
          Arguments: { n: '{% $states.input.n + 1 %}' },
          Branches: [
            { StartAt: 'Left', States: { Left: pass } },
            { StartAt: 'Right', States: { Right: { Type: 'Pass', Output: 'right', End: true } } },
          ],
          End: true,
        },
      }),
      { input: { n: 1 } },
    );
    expect(execution.output).toEqual([{ n: 2 }, 'right']);
    expect(events).toEqual([
      '1<-0 ExecutionStarted',
      '2<-0 ParallelStateEntered Both',
      '3<-2 ParallelStateStarted',
      '4<-3 PassStateEntered Left',
      '5<-3 PassStateEntered Right',
      '6<-4 PassStateExited Left',
      '7<-5 PassStateExited Right',
      '8<-7 ParallelStateSucceeded',
      '9<-7 ParallelStateExited Both',
      '10<-9 ExecutionSucceeded',
    ]);
  });

  it('tells of a retry within a task, and of the aborted task when a Parallel fails', async () => {
    const { events, execution } = await run(
      definitionOf({
        Both: {
          Type: 'Parallel',
          Branches: [
            {
              StartAt: 'Break',
              States: { Break: invoke('boom', { Retry: [{ ErrorEquals: ['Boom'], MaxAttempts: 1 }] }) },
            },
          ],
          Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.errorOutput.Error %}', Next: 'Mend' }],
          End: true,
        },
        Mend: pass,
      }),
      { functions: { boom } },
    );
    expect(execution).toMatchObject({ status: 'SUCCEEDED', output: 'Boom' });
    expect(events).toEqual([
      '1<-0 ExecutionStarted',
      '2<-0 ParallelStateEntered Both',
      '3<-2 ParallelStateStarted',
      '4<-3 TaskStateEntered Break',
      '5<-4 TaskScheduled',
      '6<-5 TaskStarted',
      '7<-6 TaskFailed',
      '8<-7 TaskScheduled',
      '9<-8 TaskStarted',
      '10<-9 TaskFailed',
      '11<-10 TaskStateAborted',
      '12<-10 ParallelStateFailed',
      '13<-12 ParallelStateExited Both',
      '14<-13 PassStateEntered Mend',
      '15<-14 PassStateExited Mend',
      '16<-15 ExecutionSucceeded',
    ]);
  });

  it('tells what a task is given, and how long it and its heartbeat may take', async () => {
    const { machines, execution } = await run(
      definitionOf({ Greet: invoke('greet', { TimeoutSeconds: '{% 4 + 5 %}', HeartbeatSeconds: 3 }) }),
      { input: 'Ada', functions: { greet: () => 'hello' } },
    );
    const [, , scheduled] = machines.getExecutionHistory({ executionArn: execution.executionArn });
    expect(scheduled).toEqual({
      id: 3,
      previousEventId: 2,
      timestamp: Date.parse('2030-01-01T00:00:00Z') / 1000,
      type: 'TaskScheduled',
      taskScheduledEventDetails: {
        resourceType: 'lambda',
        resource: 'invoke',
        region: 'us-east-1',
        parameters: '{"FunctionName":"greet","Payload":"Ada"}',
        timeoutInSeconds: 9,
        heartbeatInSeconds: 3,
      },
    });
  });

  it('tells of a function that is the resource itself in events of their own', async () => {
    const arn = 'arn:aws:lambda:us-east-1:123456789012:function:greet';
    const { machines, execution } = await run(
      definitionOf({
        Greet: { Type: 'Task', Resource: arn, Arguments: { name: 'Ada' }, TimeoutSeconds: 9, End: true },
      }),
      { functions: { [arn]: () => 'hello' } },
    );
    expect(execution.output).toBe('hello');
    const [, , scheduled, started, succeeded] = machines.getExecutionHistory({
      executionArn: execution.executionArn,
    });
    expect(scheduled).toMatchObject({
      type: 'LambdaFunctionScheduled',
      lambdaFunctionScheduledEventDetails: { resource: arn, input: '{"name":"Ada"}', timeoutInSeconds: 9 },
    });
    expect(started).toEqual({
      id: 4,
      previousEventId: 3,
      timestamp: expect.any(Number),
      type: 'LambdaFunctionStarted',
    });
    expect(succeeded).toMatchObject({
      type: 'LambdaFunctionSucceeded',
      lambdaFunctionSucceededEventDetails: { output: '"hello"' },
    });
  });

  it('ends with one event alone when the execution as a whole is out of time', async () => {
    const { events, execution } = await run(
      definitionOf(
        {
          Wait: { Type: 'Wait', Seconds: 25, Next: 'Never' },
          Never: invoke('boom', { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Never' }] }),
        },
        { TimeoutSeconds: 3 },
      ),
    );
    expect(events).toEqual(['1<-0 ExecutionStarted', '2<-0 WaitStateEntered Wait', '3<-0 ExecutionTimedOut']);
    expect(execution).toEqual({
      executionArn: expect.stringContaining(':execution:machine:run'),
      redriveCount: 0,
      redriveStatus: 'REDRIVABLE',
      stateMachineArn: expect.stringContaining(':stateMachine:machine'),
      name: 'run',
      status: 'TIMED_OUT',
      startDate: new Date('2030-01-01T00:00:00Z'),
      stopDate: new Date('2030-01-01T00:00:03Z'),
      input: {},
    });
  });

  it('cannot catch the time-out of the execution in a task', async () => {
    const { execution } = await run(
      definitionOf(
        {
          Hang: {
            Type: 'Task',
            Resource: INVOKE,
            Arguments: { FunctionName: 'hang' },
            Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Mend' }],
            End: true,
          },
          Mend: pass,
        },
        { TimeoutSeconds: 2 },
      ),
      { functions: { hang: () => new Promise(() => {}) } },
    );
    expect(execution.status).toBe('TIMED_OUT');
  });
});
