import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import { definitionOf, invoke, machinesWith, ROLE, run, VirtualClock } from './harness.ts';

const range = (length: number) => Array.from({ length }, (_, index) => index);
const mapOver = (items: Json, state: { [field: string]: Json }, more: { [field: string]: Json } = {}) =>
  definitionOf({
    Each: {
      Type: 'Map',
      Items: items,
      ItemProcessor: { StartAt: 'One', States: { One: state } },
      End: true,
      ...more,
    },
  });

/** A function that counts how many calls of it run at once. */
function counting() {
  const counter = { now: 0, most: 0, calls: 0 };
  const work = async (payload: Json) => {
    counter.calls++;
    counter.most = Math.max(counter.most, ++counter.now);
    await new Promise(setImmediate);
    counter.now--;
    return payload;
  };
  return { counter, work };
}

describe('Map', () => {
  it.each([
    [undefined, 40],
    [0, 40],
    [1, 1],
    [7, 7],
    [1000, 40],
  ])(
    'with MaxConcurrency %s runs at most %i iterations at once, and keeps the order',
    async (limit, most) => {
      const { counter, work } = counting();
      const { execution } = await run(
        mapOver(range(100), invoke('work'), limit === undefined ? {} : { MaxConcurrency: limit }),
        {
          functions: { work },
        },
      );
      expect(execution.output).toEqual(range(100));
      expect(counter).toEqual({ now: 0, most, calls: 100 });
    },
  );

  it('gives an iteration its item, its index and the variables around it, and keeps its own to itself', async () => {
    const { execution } = await run(
      definitionOf({
        Set: { Type: 'Pass', Assign: { factor: 10 }, Next: 'Each' },
        Each: {
          Type: 'Map',
          Items: '{% $states.input.items %}',
          ItemSelector: {
            value: '{% $states.context.Map.Item.Value * $factor %}',
            index: '{% $states.context.Map.Item.Index %}',
          },
          ItemProcessor: {
            ProcessorConfig: { Mode: 'INLINE' },
            StartAt: 'Own',
            States: {
              Own: { Type: 'Pass', Assign: { own: '{% $states.input.value %}' }, Next: 'Give' },
              Give: { Type: 'Pass', Output: '{% $own + $states.context.Map.Item.Index %}', End: true },
            },
          },
          Output: { sums: '{% $states.result %}', own: '{% $exists($own) %}' },
          End: true,
        },
      }),
      { input: { items: [1, 2, 3] } },
    );
    expect(execution.output).toEqual({ sums: [10, 21, 32], own: false });
  });

  it('gives up its other iterations when one fails, recording each, and aborts what they wait for', async () => {
    const aborted: Json[] = [];
    const work = (payload: Json, signal: AbortSignal) => {
      if (payload === 1) throw Object.assign(new Error('one'), { name: 'One' });
      signal.addEventListener('abort', () => aborted.push(payload));
      return new Promise<Json>(() => {});
    };
    const { execution, events } = await run(mapOver([0, 1, 2], invoke('work')), { functions: { work } });
    expect(execution).toMatchObject({ status: 'FAILED', error: 'One' });
    expect(aborted).toEqual([0, 2]);
    expect(events.slice(-8)).toEqual([
      '17<-16 TaskStateAborted',
      '18<-16 MapIterationFailed',
      '19<-11 TaskStateAborted',
      '20<-11 MapIterationAborted',
      '21<-15 TaskStateAborted',
      '22<-15 MapIterationAborted',
      '23<-16 MapStateFailed',
      '24<-23 ExecutionFailed',
    ]);
  });

  it('runs all iterations again on a retry', async () => {
    let calls = 0;
    const work = (payload: Json) => {
      calls++;
      if (calls === 2) throw Object.assign(new Error('once'), { name: 'Once' });
      return payload;
    };
    const more = { MaxConcurrency: 1, Retry: [{ ErrorEquals: ['Once'] }] };
    const { execution } = await run(mapOver([1, 2, 3], invoke('work'), more), { functions: { work } });
    expect(execution.output).toEqual([1, 2, 3]);
    expect(calls).toBe(5);
  });

  it('goes on beside as many failures as are tolerated', async () => {
    const odd = (payload: Json) => {
      if (Number(payload) % 2 === 1) throw new Error('odd');
      return payload;
    };
    const within = await run(mapOver([1, 2, 3, 4], invoke('odd'), { ToleratedFailurePercentage: 50 }), {
      functions: { odd },
    });
    expect(within.execution.output).toEqual([2, 4]);
    const beyond = await run(mapOver([1, 2, 3, 4], invoke('odd'), { ToleratedFailureCount: 1 }), {
      functions: { odd },
    });
    expect(beyond.execution).toMatchObject({ status: 'FAILED', error: 'Error' });
  });

  it.each([
    [{ ToleratedFailureCount: 1, ToleratedFailurePercentage: 50 }, 'FAILED'],
    [{ ToleratedFailureCount: 2, ToleratedFailurePercentage: 25 }, 'FAILED'],
    [{ ToleratedFailureCount: 2, ToleratedFailurePercentage: 0 }, 'FAILED'],
    [{ ToleratedFailureCount: 0, ToleratedFailurePercentage: 50 }, 'FAILED'],
    [{ ToleratedFailureCount: '{% 1 %}', ToleratedFailurePercentage: 50 }, 'FAILED'],
    [{ ToleratedFailureCount: 2, ToleratedFailurePercentage: 50 }, 'SUCCEEDED'],
  ])('tolerates no more failures than either of two limits: %j', async (limits, status) => {
    const odd = (payload: Json) => {
      if (Number(payload) % 2 === 1) throw new Error('odd');
      return payload;
    };
    const { execution } = await run(mapOver([1, 2, 3, 4], invoke('odd'), limits), { functions: { odd } });
    expect(execution.status).toBe(status);
  });

  it.each([
    [-1, 'FAILED'],
    [0, 'SUCCEEDED'],
    [100, 'SUCCEEDED'],
    [101, 'FAILED'],
  ])('may compute what is tolerated, from 0 to 100 per cent: %i', async (percentage, status) => {
    const state = mapOver(
      [1],
      { Type: 'Pass', End: true },
      { ToleratedFailurePercentage: `{% ${percentage} %}` },
    );
    const { execution } = await run(state);
    expect(execution.status).toBe(status);
    if (status === 'SUCCEEDED') return;
    expect(execution).toMatchObject({
      error: 'States.QueryEvaluationError',
      cause: expect.stringContaining(
        `The ToleratedFailurePercentage field must be a number from 0 to 100 but was: ${percentage}`,
      ),
    });
  });

  it('is caught as a whole', async () => {
    const { execution, events } = await run(
      definitionOf({
        Each: {
          Type: 'Map',
          Items: [1],
          ItemProcessor: { StartAt: 'No', States: { No: { Type: 'Fail', Error: 'No', Cause: 'way' } } },
          Catch: [{ ErrorEquals: ['No'], Next: 'Caught' }],
          End: true,
        },
        Caught: { Type: 'Pass', End: true },
      }),
    );
    expect(execution.output).toEqual({ Error: 'No', Cause: 'way' });
    expect(events.slice(3)).toEqual([
      '4<-3 MapIterationStarted',
      '5<-4 FailStateEntered No',
      '6<-5 MapIterationFailed',
      '7<-5 MapStateFailed',
      '8<-7 MapStateExited Each',
      '9<-8 PassStateEntered Caught',
      '10<-9 PassStateExited Caught',
      '11<-10 ExecutionSucceeded',
    ]);
  });

  it('leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const machines = machinesWith({ fast: (payload) => payload }, { clock });
    const definition = mapOver(range(50), invoke('fast', { TimeoutSeconds: 900 }));
    const { stateMachineArn } = machines.createStateMachine({
      name: 'timers',
      definition: { ...definition, TimeoutSeconds: 1000 },
      roleArn: ROLE,
    });
    const { executionArn } = machines.startExecution({ stateMachineArn });
    expect((await machines.ended(executionArn)).status).toBe('SUCCEEDED');
    expect(clock.pending).toBe(0);
  });
});

describe('Parallel', () => {
  it('lets branches side by side set variables of the same name, each its own', async () => {
    const branch = (value: number) => ({
      StartAt: `Set ${value}`,
      States: {
        [`Set ${value}`]: { Type: 'Pass', Assign: { v: value }, Next: `Read ${value}` },
        [`Read ${value}`]: { Type: 'Pass', Output: '{% [$v, $outer] %}', End: true },
      },
    });
    const { execution } = await run(
      definitionOf({
        Before: { Type: 'Pass', Assign: { outer: 'o' }, Next: 'Both' },
        Both: { Type: 'Parallel', Branches: [branch(1), branch(2)], End: true },
      }),
    );
    expect(execution.output).toEqual([
      [1, 'o'],
      [2, 'o'],
    ]);
  });

  it('gives up its other branches when one fails, independent of their waits', async () => {
    const clock = new VirtualClock();
    const branch = (state: { [field: string]: Json }, name: string) => ({
      StartAt: name,
      States: { [name]: state },
    });
    const { execution, events } = await run(
      definitionOf({
        Both: {
          Type: 'Parallel',
          Branches: [
            branch({ Type: 'Wait', Seconds: 1000, End: true }, 'Wait'),
            branch(
              {
                Type: 'Map',
                Items: [1],
                ItemProcessor: branch({ Type: 'Wait', Seconds: 500, End: true }, 'Inner'),
                End: true,
              },
              'Nest',
            ),
            branch(invoke('fail'), 'Fail'),
          ],
          End: true,
        },
      }),
      {
        functions: {
          fail: () => {
            throw Object.assign(new Error('no'), { name: 'No' });
          },
        },
        options: { clock },
      },
    );
    expect(execution).toMatchObject({ status: 'FAILED', error: 'No' });
    expect(events.map((event) => event.split(' ')[1]).slice(-7)).toEqual([
      'TaskStateAborted',
      'WaitStateAborted',
      'WaitStateAborted',
      'MapIterationAborted',
      'MapStateAborted',
      'ParallelStateFailed',
      'ExecutionFailed',
    ]);
    expect(execution.stopDate).toEqual(execution.startDate);
    expect(clock.pending).toBe(0);
  });
});
