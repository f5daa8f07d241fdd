import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import { LambdaServiceError } from '../../src/asl/executions/ports.ts';
import { definitionOf, invoke, run, VirtualClock, type Functions } from './harness.ts';

const failWith = (name: string) => () => {
  throw Object.assign(new Error('no luck'), { name });
};
const caught = { Type: 'Pass', End: true };

/** Seconds from one attempt to the next. */
async function delaysOf(retry: Json, options: { random?: () => number } = {}): Promise<number[]> {
  const clock = new VirtualClock();
  const attempts: number[] = [];
  const again = () => {
    attempts.push(clock.now());
    return failWith('Again')();
  };
  const { execution } = await run(definitionOf({ Try: invoke('again', { Retry: retry }) }), {
    functions: { again },
    options: { clock, ...options },
  });
  expect(execution).toMatchObject({ status: 'FAILED', error: 'Again' });
  return attempts.slice(1).map((time, index) => (time - (attempts[index] ?? 0)) / 1000);
}

describe('Retry', () => {
  it('waits one second, then twice as long each time, three times, where nothing else is said', async () => {
    expect(await delaysOf([{ ErrorEquals: ['States.ALL'] }])).toEqual([1, 2, 4]);
  });

  it('grows by the backoff rate up to the greatest delay', async () => {
    const retry = [
      { ErrorEquals: ['Again'], IntervalSeconds: 2, BackoffRate: 3, MaxAttempts: 5, MaxDelaySeconds: 20 },
    ];
    expect(await delaysOf(retry)).toEqual([2, 6, 18, 20, 20]);
  });

  it('takes a part of the delay by chance with full jitter', async () => {
    const numbers = [0, 0.25, 0.5];
    const retry = [
      { ErrorEquals: ['Again'], IntervalSeconds: 8, BackoffRate: 1, MaxAttempts: 3, JitterStrategy: 'FULL' },
    ];
    expect(await delaysOf(retry, { random: () => numbers.shift() ?? 1 })).toEqual([0, 2, 4]);
  });

  it('counts the attempts of each retrier by itself', async () => {
    const errors = ['A', 'B', 'A', 'B'];
    const functions: Functions = {
      moody: () => (errors.length > 0 ? failWith(errors.shift() ?? '')() : 'well'),
    };
    const retriers = [
      { ErrorEquals: ['A'], MaxAttempts: 2 },
      { ErrorEquals: ['B'], MaxAttempts: 2 },
    ];
    const { execution } = await run(definitionOf({ Try: invoke('moody', { Retry: retriers }) }), {
      functions,
    });
    expect(execution).toMatchObject({ status: 'SUCCEEDED', output: 'well' });
  });

  it('makes no attempt beyond the first with MaxAttempts 0, regardless of other retriers', async () => {
    const retry = [{ ErrorEquals: ['Again'], MaxAttempts: 0 }, { ErrorEquals: ['States.ALL'] }];
    expect(await delaysOf(retry)).toEqual([]);
  });

  it('evaluates the arguments anew, with the count of retries', async () => {
    const seen: Json[] = [];
    const note = (payload: Json) => {
      seen.push(payload);
      return failWith('Again')();
    };
    const task = invoke('note', {
      Arguments: { FunctionName: 'note', Payload: '{% $states.context.State.RetryCount %}' },
      Retry: [{ ErrorEquals: ['Again'], MaxAttempts: 2 }],
    });
    await run(definitionOf({ Try: task }), { functions: { note } });
    expect(seen).toEqual([0, 1, 2]);
  });
});

describe('Catch', () => {
  const catchers = (names: string[]): Json => [
    { ErrorEquals: names, Output: '{% $states.errorOutput %}', Next: 'Caught' },
  ];
  const attempt = (task: { [field: string]: Json }, functions: Functions = {}) =>
    run(definitionOf({ Try: task, Caught: caught }), { functions });

  it('gives the error and the cause, and sees the input', async () => {
    const { execution } = await run(
      definitionOf({
        Try: invoke('fail', {
          Catch: [
            { ErrorEquals: ['Other'], Next: 'Caught' },
            {
              ErrorEquals: ['Odd'],
              Assign: { message: '{% $parse($states.errorOutput.Cause).errorMessage %}' },
              Output: { kept: '{% $states.input %}', error: '{% $states.errorOutput.Error %}' },
              Next: 'Caught',
            },
          ],
        }),
        Caught: { Type: 'Pass', Output: '{% $merge([$states.input, {"message": $message}]) %}', End: true },
      }),
      { input: 7, functions: { fail: failWith('Odd') } },
    );
    expect(execution.output).toEqual({ kept: 7, error: 'Odd', message: 'no luck' });
  });

  it.each([
    ['States.TaskFailed', 'SUCCEEDED'],
    ['States.ALL', 'SUCCEEDED'],
    ['Odd', 'SUCCEEDED'],
    ['States.Timeout', 'FAILED'],
  ])('on %s of a failed function: %s', async (name, status) => {
    const { execution } = await attempt(invoke('fail', { Catch: catchers([name]) }), {
      fail: failWith('Odd'),
    });
    expect(execution.status).toBe(status);
  });

  it.each([
    ['States.Timeout', 'SUCCEEDED'],
    ['States.ALL', 'SUCCEEDED'],
    ['States.TaskFailed', 'FAILED'],
  ])('on %s of a task out of time: %s', async (name, status) => {
    let aborted = false;
    const hang = (_: Json, signal: AbortSignal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise<Json>(() => {});
    };
    const { execution, events } = await attempt(
      invoke('hang', { TimeoutSeconds: 5, Catch: catchers([name]) }),
      { hang },
    );
    expect(execution.status).toBe(status);
    if (status === 'SUCCEEDED') expect(execution.output).toEqual({ Error: 'States.Timeout', Cause: '' });
    expect(aborted).toBe(true);
    expect(events.slice(3, 6)).toEqual([
      '4<-3 TaskStarted',
      '5<-4 TaskTimedOut',
      status === 'SUCCEEDED' ? '6<-5 TaskStateExited Try' : '6<-5 ExecutionFailed',
    ]);
  });

  it('takes an expression that fails in a task, and lets the event of leaving follow on it', async () => {
    const { execution, events } = await attempt(
      invoke('fail', { Arguments: '{% $nothing %}', Catch: catchers(['States.QueryEvaluationError']) }),
    );
    expect(execution).toMatchObject({
      status: 'SUCCEEDED',
      output: { Error: 'States.QueryEvaluationError' },
    });
    expect(events.slice(1, 4)).toEqual([
      '2<-0 TaskStateEntered Try',
      '3<-0 EvaluationFailed',
      '4<-3 TaskStateExited Try',
    ]);
  });

  it('does not take an error of its own Output', async () => {
    const { execution } = await attempt(
      invoke('fail', { Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $nothing %}', Next: 'Caught' }] }),
      { fail: failWith('Odd') },
    );
    expect(execution).toMatchObject({
      status: 'FAILED',
      error: 'States.QueryEvaluationError',
      cause: expect.stringContaining("specified for the field 'Catch[0]/Output' returned nothing"),
    });
  });

  it('tells an error of Lambda itself from one of the function', async () => {
    const details = { status: 404, requestId: 'abc' };
    const { execution } = await run(definitionOf({ Try: invoke('gone') }), {
      options: {
        invokeLambda: () =>
          Promise.reject(
            new LambdaServiceError('ResourceNotFoundException', 'Function not found: gone', details),
          ),
      },
    });
    expect(execution).toMatchObject({
      status: 'FAILED',
      error: 'Lambda.ResourceNotFoundException',
      cause:
        'Function not found: gone (Service: AWSLambda; Status Code: 404; Error Code: ResourceNotFoundException; Request ID: abc; Proxy: null)',
    });
  });

  it('tells an invocation that did not come about, and a failure without a type', async () => {
    const lost = await run(definitionOf({ Try: invoke('any') }), {
      options: { invokeLambda: () => Promise.reject(new Error('connection refused')) },
    });
    expect(lost.execution).toMatchObject({ error: 'Lambda.SdkClientException', cause: 'connection refused' });
    const odd = await run(definitionOf({ Try: invoke('any') }), {
      options: { invokeLambda: () => Promise.resolve({ payload: 'what', functionError: 'Unhandled' }) },
    });
    expect(odd.execution).toMatchObject({
      error: 'Lambda.Unknown',
      cause:
        'The cause could not be determined because Lambda did not return an error type. Returned payload: "what"',
    });
  });
});
