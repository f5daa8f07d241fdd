import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import type { StateMachines } from '../../src/asl/state-machines.ts';
import { latch } from '../fixtures/stage.ts';
import { definitionOf, eventsOf, invoke, machinesWith, ROLE, run, type Functions } from './harness.ts';

/** Functions of which some fail until they are mended. */
function workshop() {
  const invoked: string[] = [];
  const broken = new Set<string>();
  const work = (payload: Json) => {
    const name = typeof payload === 'string' ? payload : JSON.stringify(payload);
    invoked.push(name);
    if (broken.has(name)) throw new Error(`${name} is broken`);
    return `${name} done`;
  };
  return { functions: { work }, invoked, broken };
}

/** Redrives an execution, and waits for its end. */
async function redrive(machines: StateMachines, executionArn: string) {
  machines.redriveExecution({ executionArn });
  return machines.ended(executionArn);
}

/** Runs a definition to an end without success. */
async function ended(definition: { [field: string]: Json }, functions: Functions, input: Json = {}) {
  const { machines, execution } = await run(definition, { input, functions });
  return { machines, execution, executionArn: execution.executionArn };
}

/** Runs a definition until one of its functions says so, and stops it. */
async function stopped(definition: { [field: string]: Json }, functionsOf: (stop: () => void) => Functions) {
  let executionArn = '';
  const stop = () => void machines.stopExecution({ executionArn });
  const machines = machinesWith(functionsOf(stop));
  const { stateMachineArn } = machines.createStateMachine({ name: 'machine', definition, roleArn: ROLE });
  ({ executionArn } = machines.startExecution({ stateMachineArn, name: 'run' }));
  const { status } = await machines.ended(executionArn);
  return { machines, executionArn, status };
}

const CONTEXT = '{% $states.context.Execution.{ "count": RedriveCount, "time": RedriveTime } %}';

describe('a redriven execution', () => {
  it('goes on at the state that failed, with its input, its variables and new retries', async () => {
    const { functions, invoked, broken } = workshop();
    broken.add('two');
    const retry = [{ ErrorEquals: ['States.ALL'], MaxAttempts: 1 }];
    const { machines, execution, executionArn } = await ended(
      definitionOf({
        One: invoke('work', { Assign: { kept: 1 }, Output: 'two', Next: 'Two' }),
        Two: invoke('work', { Retry: retry, Next: 'End' }),
        End: { Type: 'Pass', Output: '{% [$states.input, $kept] %}', End: true },
      }),
      functions,
      'one',
    );
    expect([execution.status, invoked]).toEqual(['FAILED', ['one', 'two', 'two']]);
    expect(await redrive(machines, executionArn)).toMatchObject({ status: 'FAILED', redriveCount: 1 });
    broken.clear();
    expect(await redrive(machines, executionArn)).toEqual({
      ...execution,
      status: 'SUCCEEDED',
      error: undefined,
      cause: undefined,
      output: ['two done', 1],
      stopDate: expect.any(Date),
      redriveCount: 2,
      redriveDate: expect.any(Date),
      redriveStatus: 'NOT_REDRIVABLE',
      redriveStatusReason: 'Execution is SUCCEEDED and cannot be redriven',
    });
    expect(invoked).toEqual(['one', 'two', 'two', 'two', 'two', 'two']);
    expect(eventsOf(machines, executionArn).slice(-9)).toEqual([
      '22<-21 ExecutionFailed',
      '23<-22 ExecutionRedriven',
      '24<-23 TaskScheduled',
      '25<-24 TaskStarted',
      '26<-25 TaskSucceeded',
      '27<-26 TaskStateExited Two',
      '28<-27 PassStateEntered End',
      '29<-28 PassStateExited End',
      '30<-29 ExecutionSucceeded',
    ]);
  });

  it('finds in the context how often and when it was redriven', async () => {
    let isBroken = true;
    const ask = (payload: Json) => {
      if (isBroken) throw new Error('broken');
      return payload;
    };
    const { machines, executionArn } = await ended(
      definitionOf({ Ask: { ...invoke('ask'), Arguments: { FunctionName: 'ask', Payload: CONTEXT } } }),
      { ask },
    );
    isBroken = false;
    const { output, redriveDate } = await redrive(machines, executionArn);
    expect(output).toEqual({ count: 1, time: redriveDate?.toISOString() });
  });

  it('that was stopped goes on with what had been under way', async () => {
    let isFirst = true;
    const { machines, executionArn, status } = await stopped(
      definitionOf({ Work: invoke('work') }),
      (stop) => ({
        work() {
          if (isFirst) stop();
          isFirst = false;
          return 'done';
        },
      }),
    );
    expect(status).toBe('ABORTED');
    expect(await redrive(machines, executionArn)).toMatchObject({ status: 'SUCCEEDED', output: 'done' });
  });

  it('that was out of time has all of it again, as have its tasks', async () => {
    const wait = { Type: 'Wait', Seconds: 2, Next: 'Work' };
    let isSilent = true;
    const work = () => (isSilent ? new Promise<Json>(() => {}) : 'done');
    const { machines, execution, executionArn } = await ended(
      definitionOf({ Wait: wait, Work: invoke('work', { TimeoutSeconds: 60 }) }, { TimeoutSeconds: 3 }),
      { work },
    );
    expect(execution.status).toBe('TIMED_OUT');
    expect(await redrive(machines, executionArn)).toMatchObject({ status: 'TIMED_OUT' });
    isSilent = false;
    expect(await redrive(machines, executionArn)).toMatchObject({ status: 'SUCCEEDED', output: 'done' });
  });

  it('fails again where it failed by a Fail state', async () => {
    const { machines, execution, executionArn } = await ended(
      definitionOf({ Fail: { Type: 'Fail', Error: 'E', Cause: 'C' } }),
      {},
    );
    expect(await redrive(machines, executionArn)).toMatchObject({
      status: 'FAILED',
      error: execution.error,
      cause: execution.cause,
    });
  });

  it('takes the branches and iterations that had not succeeded, wherever they were', async () => {
    const { functions, invoked, broken } = workshop();
    ['b', 'q'].forEach((name) => broken.add(name));
    // The first time, b fails while p is under way.
    const began = latch();
    const work = async (payload: Json) => {
      if (payload === 'b') await began.opened;
      const result = functions.work(payload);
      if (payload !== 'p' || !broken.has('b')) return result;
      began.open();
      return new Promise<Json>(() => {});
    };
    const branch = (name: string) =>
      definitionOf({
        [`Give ${name}`]: { Type: 'Pass', Output: name, Next: `Work ${name}` },
        [`Work ${name}`]: invoke('work'),
      });
    const map = {
      Type: 'Map',
      Items: ['p', 'q', 'r'],
      MaxConcurrency: 1,
      ItemProcessor: definitionOf({
        Note: { Type: 'Pass', Assign: { own: '{% $states.input %}' }, Next: 'Work' },
        Work: invoke('work', { Output: '{% $own & ": " & $states.result.Payload %}' }),
      }),
      End: true,
    };
    const { machines, execution, executionArn } = await ended(
      definitionOf({
        Both: {
          Type: 'Parallel',
          Branches: [branch('a'), branch('b'), definitionOf({ Each: map })],
          End: true,
        },
      }),
      { work },
    );
    expect([execution.status, invoked.sort()]).toEqual(['FAILED', ['a', 'b', 'p']]);
    for (const mended of ['b', 'q']) {
      broken.delete(mended);
      await redrive(machines, executionArn);
    }
    expect(machines.describeExecution(executionArn)).toMatchObject({
      status: 'SUCCEEDED',
      output: ['a done', 'b done', ['p: p done', 'q: q done', 'r: r done']],
      redriveCount: 2,
    });
    // A step that succeeded once is not repeated.
    expect(['a', 'b', 'p', 'q', 'r'].map((name) => invoked.filter((one) => one === name).length)).toEqual([
      1,
      2,
      2, // it was under way when the branch beside it failed
      2,
      1,
    ]);
  });

  it('runs a Map anew whose result was too large', async () => {
    let size = 200_000;
    let times = 0;
    const give = () => {
      times++;
      return 'x'.repeat(size);
    };
    const { machines, execution, executionArn } = await ended(
      definitionOf({
        Each: {
          Type: 'Map',
          Items: [1, 2],
          ItemProcessor: definitionOf({ Give: invoke('give') }),
          End: true,
        },
      }),
      { give },
    );
    expect(execution.error).toBe('States.DataLimitExceeded');
    size = 1;
    expect(await redrive(machines, executionArn)).toMatchObject({ status: 'SUCCEEDED', output: ['x', 'x'] });
    expect(times).toBe(4);
  });

  it('leaves what a Map tolerated to be run again', async () => {
    const { functions, invoked, broken } = workshop();
    ['a', 'b', 'c'].forEach((name) => broken.add(name));
    const { machines, executionArn } = await ended(
      definitionOf({
        Each: {
          Type: 'Map',
          Items: ['a', 'ok', 'b', 'c'],
          ToleratedFailureCount: 2,
          MaxConcurrency: 1,
          ItemProcessor: definitionOf({ Work: invoke('work') }),
          End: true,
        },
      }),
      functions,
    );
    broken.clear();
    broken.add('b');
    expect(await redrive(machines, executionArn)).toMatchObject({
      status: 'SUCCEEDED',
      output: ['a done', 'ok done', 'c done'],
    });
    expect(invoked).toEqual(['a', 'ok', 'b', 'c', 'a', 'b', 'c']);
  });

  it('keeps its definition when the state machine has another by now', async () => {
    let isBroken = true;
    const work = () => {
      if (isBroken) throw new Error('broken');
      return 'done';
    };
    const definition = definitionOf({
      Work: invoke('work', { Next: 'End' }),
      End: { Type: 'Pass', Output: 'the old', End: true },
    });
    const { machines, executionArn } = await ended(definition, { work });
    const { stateMachineArn } = machines.describeExecution(executionArn);
    const other = definitionOf({ End: { Type: 'Pass', Output: 'the new', End: true } });
    machines.updateStateMachine({ stateMachineArn, definition: JSON.stringify(other) });
    isBroken = false;
    expect(await redrive(machines, executionArn)).toMatchObject({ output: 'the old' });
    const next = machines.startExecution({ stateMachineArn });
    expect(await machines.ended(next.executionArn)).toMatchObject({ output: 'the new' });
    expect(machines.describeStateMachineForExecution(executionArn).definition).toBe(
      JSON.stringify(definition),
    );
  });
});

describe('a redrive is refused', () => {
  const refused = (reason: string) => ({
    name: 'ExecutionNotRedrivable',
    message: expect.stringContaining(reason),
  });
  const redriving = (machines: StateMachines, executionArn: string) => {
    try {
      return machines.redriveExecution({ executionArn });
    } catch (thrown) {
      return thrown;
    }
  };

  it('of an execution that succeeded or runs', async () => {
    const { machines, execution } = await run(definitionOf({ End: { Type: 'Pass', End: true } }));
    expect(redriving(machines, execution.executionArn)).toMatchObject(
      refused('Execution is SUCCEEDED and cannot be redriven'),
    );
    const { stateMachineArn } = execution;
    const { executionArn } = machines.startExecution({ stateMachineArn });
    expect(redriving(machines, executionArn)).toMatchObject(
      refused('Execution is RUNNING and cannot be redriven'),
    );
  });

  it('two weeks after the end', async () => {
    const { machines, executionArn } = await ended(definitionOf({ Fail: { Type: 'Fail' } }), {});
    const wait = definitionOf({ Wait: { Type: 'Wait', Seconds: 15 * 24 * 3600, End: true } });
    const { stateMachineArn } = machines.createStateMachine({
      name: 'calendar',
      definition: wait,
      roleArn: ROLE,
    });
    await machines.ended(machines.startExecution({ stateMachineArn }).executionArn);
    expect(redriving(machines, executionArn)).toMatchObject(refused('Execution redrivable period exceeded'));
  });

  it('with the token of the redrive before, which was the same request', async () => {
    const { machines, executionArn } = await ended(definitionOf({ Fail: { Type: 'Fail' } }), {});
    const request = { executionArn, clientToken: 'one' };
    const first = machines.redriveExecution(request);
    await machines.ended(executionArn);
    expect(machines.redriveExecution(request)).toEqual(first);
    expect(machines.describeExecution(executionArn).redriveCount).toBe(1);
  });
});
