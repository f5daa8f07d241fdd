import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import { caughtOf, definitionOf, INVOKE, invoke, machinesWith, ROLE, run } from './harness.ts';

/** A text that takes as many bytes as JSON, its quotes included. */
const jsonOf = (bytes: number) => 'x'.repeat(bytes - 2);
const LIMIT = 262_144;
const caught: Json = [{ ErrorEquals: ['States.DataLimitExceeded'], Next: 'Caught' }];
const end = { Type: 'Pass', End: true };

describe('the limit of 256 KiB', () => {
  it.each([
    ['x', LIMIT, 'SUCCEEDED'],
    ['x', LIMIT + 1, 'FAILED'],
    ['é', LIMIT, 'SUCCEEDED'],
    ['é', LIMIT + 2, 'FAILED'],
  ])('of UTF-8 holds for the output of a state: %s to %i bytes is %s', async (character, bytes, status) => {
    const characters = (bytes - 2) / new TextEncoder().encode(character).length;
    const grown = await run(
      definitionOf({
        Grow: { Type: 'Pass', Output: `{% $pad("", ${characters}, "${character}") %}`, End: true },
      }),
    );
    expect(grown.execution.status).toBe(status);
    if (status === 'FAILED') {
      expect(grown.execution).toMatchObject({
        error: 'States.DataLimitExceeded',
        cause:
          "The state/task 'Grow' returned a result with a size exceeding the maximum number of bytes service limit.",
      });
    }
  });

  it('fails a task whose function answers more, and States.ALL does not take that', async () => {
    const functions = { large: () => 'a'.repeat(257 * 1024) };
    const all: Json = [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }];
    const { execution, events } = await run(
      definitionOf({ Take: invoke('large', { Catch: all }), Caught: end }),
      { functions },
    );
    expect(execution).toMatchObject({
      status: 'FAILED',
      error: 'States.DataLimitExceeded',
      cause: `The state/task '${INVOKE}' returned a result with a size exceeding the maximum number of bytes service limit.`,
    });
    expect(events.slice(-2)).toEqual(['5<-4 TaskFailed', '6<-5 ExecutionFailed']);
    const named = await run(definitionOf({ Take: invoke('large', { Catch: caught }), Caught: end }), {
      functions,
    });
    expect(named.execution.status).toBe('SUCCEEDED');
  });

  it('holds for all results of a Map together', async () => {
    const { execution } = await run(
      definitionOf({
        Each: {
          Type: 'Map',
          Items: Array(10).fill(1),
          ItemProcessor: { StartAt: 'One', States: { One: invoke('half') } },
          Catch: caught,
          End: true,
        },
        Caught: end,
      }),
      { functions: { half: () => 'a'.repeat(128 * 1024) } },
    );
    expect(execution).toMatchObject({ status: 'SUCCEEDED', output: { Error: 'States.DataLimitExceeded' } });
  });

  it('holds for a variable', async () => {
    const { execution } = await run(
      definitionOf({ Set: { ...end, Assign: { large: '{% $pad("", 262143, "x") %}' } } }),
    );
    expect(execution).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  });

  it('holds for the input of an execution and what is sent for a token', () => {
    const machines = machinesWith();
    const { stateMachineArn } = machines.createStateMachine({
      name: 'm',
      definition: definitionOf({ End: end }),
      roleArn: ROLE,
    });
    expect(() => machines.startExecution({ stateMachineArn, input: jsonOf(LIMIT + 1) })).toThrow(
      expect.objectContaining({ name: 'InvalidExecutionInput' }),
    );
    expect(() => machines.sendTaskSuccess({ taskToken: 'any', output: jsonOf(LIMIT + 1) })).toThrow(
      expect.objectContaining({ name: 'InvalidOutput' }),
    );
  });
});

describe('the limit of 25,000 events', () => {
  it('ends an endless loop, the last event telling of it', async () => {
    const { execution, events } = await run(
      definitionOf({
        Loop: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $states.input.spin %}', Next: 'Loop' }],
          Default: 'End',
        },
        End: end,
      }),
      { input: { spin: true } },
    );
    expect(execution).toMatchObject({
      status: 'FAILED',
      error: 'States.Runtime',
      cause: 'The execution reached the maximum number of history events (25000).',
    });
    expect(events).toHaveLength(25_000);
    expect(events.slice(-2)).toEqual(['24999<-24998 ChoiceStateExited Loop', '25000<-24999 ExecutionFailed']);
  });

  it('ends an execution that has no room to tell that a task timed out', async () => {
    const { execution, events } = await run(
      definitionOf({
        Start: { Type: 'Pass', Assign: { left: 12_494 }, Next: 'Loop' },
        Loop: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $left > 0 %}', Assign: { left: '{% $left - 1 %}' }, Next: 'Loop' }],
          Default: 'Each',
        },
        Each: {
          Type: 'Map',
          Items: [0],
          ItemProcessor: {
            StartAt: 'Hang',
            States: { Hang: { ...invoke('hang', { TimeoutSeconds: 1 }), End: true } },
          },
          End: true,
        },
      }),
      { functions: { hang: () => new Promise<Json>(() => {}) } },
    );
    expect(execution).toMatchObject({ status: 'FAILED', error: 'States.Runtime' });
    expect(events.slice(-2)).toEqual(['24999<-24998 TaskStarted', '25000<-24999 ExecutionFailed']);
  });

  it('is not caught, and stops what runs', async () => {
    let running = 0;
    const hang = (payload: Json, signal: AbortSignal) =>
      payload === 0
        ? new Promise<Json>(() => {
            running++;
            signal.addEventListener('abort', () => running--);
          })
        : payload;
    const loop = {
      Turn: invoke('hang', { Next: 'Again' }),
      Again: {
        Type: 'Choice',
        Choices: [{ Condition: '{% $states.input < 0 %}', Next: 'Out' }],
        Default: 'Turn',
      },
      Out: end,
    };
    const { execution } = await run(
      definitionOf({
        Each: {
          Type: 'Map',
          Items: [0, 1],
          ItemProcessor: { StartAt: 'Turn', States: loop },
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
          End: true,
        },
        Caught: end,
      }),
      { functions: { hang } },
    );
    expect(execution).toMatchObject({ status: 'FAILED', error: 'States.Runtime' });
    expect(running).toBe(0);
  });
});

describe('the limits of an expression', () => {
  it('end recursion without end, which a Catch takes', async () => {
    expect(await caughtOf('($f := function($x) { 1 + $f($x) }; $f(1))')).toEqual({
      Error: 'States.QueryEvaluationError',
      Cause: expect.stringContaining(
        'threw an error during evaluation: Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.',
      ),
    });
  });

  it('let another execution have its turn meanwhile', async () => {
    const machines = machinesWith();
    const create = (name: string, output: Json) =>
      machines.createStateMachine({
        name,
        definition: definitionOf({ Only: { Type: 'Pass', Output: output, End: true } }),
        roleArn: ROLE,
      }).stateMachineArn;
    const endless = machines.startExecution({
      stateMachineArn: create('endless', '{% ($f := function() { $f() }; $f()) %}'),
    });
    await new Promise(setImmediate);
    const quick = machines.startExecution({ stateMachineArn: create('quick', 1) });
    expect((await machines.ended(quick.executionArn)).output).toBe(1);
    expect(machines.describeExecution(endless.executionArn).status).toBe('RUNNING');
    machines.stopExecution(endless);
    expect((await machines.ended(endless.executionArn)).status).toBe('ABORTED');
  });
});
