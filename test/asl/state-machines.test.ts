import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import type { StatusChangeEvent } from '../../src/asl/executions/descriptions.ts';
import type { StateMachinesOptions } from '../../src/asl/state-machines.ts';
import {
  definitionOf,
  invoke,
  lambdaOf,
  machinesWith,
  ROLE,
  run,
  VirtualClock,
  type Functions,
} from './harness.ts';

type Options = Pick<StateMachinesOptions, 'onStatusChange'>;

const PREFIX = 'arn:aws:states:us-east-1:123456789012';

describe('a status change', () => {
  it('is told of each start and end, as by EventBridge', async () => {
    const changes: StatusChangeEvent[] = [];
    const options: Options = { onStatusChange: (_, toEvent) => void changes.push(toEvent()) };
    await run(
      definitionOf({
        Wait: { Type: 'Wait', Seconds: 2, Next: 'Fail' },
        Fail: { Type: 'Fail', Error: 'E', Cause: 'C' },
      }),
      {
        input: { n: 1 },
        options,
      },
    );
    const startDate = Date.parse('2030-01-01T00:00:00Z');
    const detail = {
      executionArn: `${PREFIX}:execution:machine:run`,
      stateMachineArn: `${PREFIX}:stateMachine:machine`,
      name: 'run',
      startDate,
      input: '{"n":1}',
      inputDetails: { included: true },
      output: null,
      outputDetails: null,
      redriveCount: 0,
      redriveDate: null,
    };
    const event = {
      version: '0',
      id: expect.any(String),
      'detail-type': 'Step Functions Execution Status Change',
      source: 'aws.states',
      account: '123456789012',
      region: 'us-east-1',
      resources: [detail.executionArn],
    };
    expect(changes).toEqual([
      {
        ...event,
        time: '2030-01-01T00:00:00.000Z',
        detail: {
          ...detail,
          status: 'RUNNING',
          stopDate: null,
          redriveStatus: 'NOT_REDRIVABLE',
          redriveStatusReason: 'Execution is RUNNING and cannot be redriven',
          error: null,
          cause: null,
        },
      },
      {
        ...event,
        time: '2030-01-01T00:00:02.000Z',
        detail: {
          ...detail,
          status: 'FAILED',
          stopDate: startDate + 2000,
          redriveStatus: 'REDRIVABLE',
          redriveStatusReason: null,
          error: 'E',
          cause: 'C',
        },
      },
    ]);
  });

  it('is told of a redrive at its own time', async () => {
    const times: unknown[] = [];
    const options: Options = {
      onStatusChange(_, toEvent) {
        const { time, detail } = toEvent();
        times.push([detail.status, time, detail.redriveCount, detail.redriveDate, detail.stopDate]);
      },
    };
    const { machines, execution } = await run(
      definitionOf({
        Wait: { Type: 'Wait', Seconds: 2, Next: 'Fail' },
        Fail: { Type: 'Fail', Error: 'E', Cause: 'C' },
      }),
      { options },
    );
    const { executionArn } = execution;
    machines.redriveExecution({ executionArn });
    await machines.ended(executionArn);
    const end = Date.parse('2030-01-01T00:00:02Z');
    expect(times).toEqual([
      ['RUNNING', '2030-01-01T00:00:00.000Z', 0, null, null],
      ['FAILED', '2030-01-01T00:00:02.000Z', 0, null, end],
      ['RUNNING', '2030-01-01T00:00:02.000Z', 1, end, null],
      ['FAILED', '2030-01-01T00:00:02.000Z', 1, end, end],
    ]);
  });

  it('leaves out input and output above 248 KiB', async () => {
    const details: StatusChangeEvent['detail'][] = [];
    const options: Options = { onStatusChange: (_, toEvent) => void details.push(toEvent().detail) };
    await run(definitionOf({ Give: { Type: 'Pass', Output: '{% $states.input & "" %}', End: true } }), {
      input: 'x'.repeat(130 * 1024),
      options,
    });
    expect(
      details.map(({ status, input, inputDetails, output, outputDetails }) => [
        status,
        input === null,
        inputDetails,
        output === null,
        outputDetails,
      ]),
    ).toEqual([
      ['RUNNING', false, { included: true }, true, null],
      ['SUCCEEDED', true, { included: false }, true, { included: false }],
    ]);
  });
});

describe('values', () => {
  it('stay as they were, independent of changes by a caller or a function to its own', async () => {
    const input = { list: [1] };
    const answer = { kept: [1] };
    const machines = machinesWith({
      change: (payload) => {
        if (
          typeof payload === 'object' &&
          payload !== null &&
          'list' in payload &&
          Array.isArray(payload['list'])
        )
          payload['list'].push(2);
        return answer;
      },
    });
    const definition = definitionOf({
      Change: invoke('change', {
        Output: { was: '{% $states.input %}', answer: '{% $states.result.Payload %}' },
      }),
    });
    const { stateMachineArn } = machines.createStateMachine({ name: 'm', definition, roleArn: ROLE });
    const { executionArn } = machines.startExecution({ stateMachineArn, input });
    input.list.push(3);
    await machines.ended(executionArn);
    answer.kept.push(2);
    expect(machines.describeExecution(executionArn)).toMatchObject({
      input: { list: [1] },
      output: { was: { list: [1] }, answer: { kept: [1] } },
    });
  });

  it('that a function gives are read as JSON would have them', async () => {
    const given: unknown[] = [
      undefined,
      { at: new Date(0), none: undefined, not: NaN },
      [undefined],
      () => 1,
    ];
    const results = await Promise.all(
      given.map(async (value) => {
        const invokeLambda = () => Promise.resolve({ payload: value });
        const { execution } = await run(definitionOf({ Call: invoke('any') }), { options: { invokeLambda } });
        return 'output' in execution ? execution.output : execution.error;
      }),
    );
    expect(results).toEqual([
      null,
      { at: '1970-01-01T00:00:00.000Z', not: 'NaN' },
      [null],
      'Runtime.MarshalError',
    ]);
  });
});

describe('machines', () => {
  it('stop all that runs when asked to', async () => {
    const machines = machinesWith({ hang: () => new Promise<Json>(() => {}) });
    const { stateMachineArn } = machines.createStateMachine({
      name: 'm',
      definition: definitionOf({ Hang: invoke('hang') }),
      roleArn: ROLE,
    });
    const started = ['a', 'b'].map((name) => machines.startExecution({ stateMachineArn, name }));
    machines.stopAll('going home');
    const ended = await Promise.all(started.map(({ executionArn }) => machines.ended(executionArn)));
    expect(ended.map(({ status, cause }) => [status, cause])).toEqual([
      ['ABORTED', 'going home'],
      ['ABORTED', 'going home'],
    ]);
  });

  it('abort what they wait for when an execution is stopped, and nothing that has ended before', async () => {
    const signals = new Map<string, AbortSignal>();
    const noted =
      (name: string, work: () => Json | Promise<Json>): Functions[string] =>
      (_, signal) => {
        signals.set(name, signal);
        return work();
      };
    const machines = machinesWith({
      good: noted('good', () => 'well'),
      bad: noted('bad', () => {
        throw new Error('no luck');
      }),
      hang: noted('hang', () => new Promise<Json>(() => {})),
    });
    const definition = definitionOf({
      Good: invoke('good', { Next: 'Bad' }),
      Bad: invoke('bad', { Next: 'Hang', Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Hang' }] }),
      Hang: invoke('hang'),
    });
    const { stateMachineArn } = machines.createStateMachine({ name: 'm', definition, roleArn: ROLE });
    const { executionArn } = machines.startExecution({ stateMachineArn });
    await expect.poll(() => signals.has('hang')).toBe(true);
    machines.stopExecution({ executionArn });
    await machines.ended(executionArn);
    expect([...signals].map(([name, { aborted }]) => [name, aborted])).toEqual([
      ['good', false],
      ['bad', false],
      ['hang', true],
    ]);
  });

  it('run a thousand executions with a child each, a hundred at a time, and keep no more than they are told', async () => {
    const machines = machinesWith(
      { work: (payload) => payload },
      { keepEnded: 10, clock: new VirtualClock(), invokeLambda: lambdaOf({ work: (payload) => payload }) },
    );
    const create = (name: string, definition: { [field: string]: Json }) =>
      machines.createStateMachine({ name, definition, roleArn: ROLE }).stateMachineArn;
    create('child', definitionOf({ Work: invoke('work') }));
    const stateMachineArn = create(
      'parent',
      definitionOf({
        Call: {
          Type: 'Task',
          Resource: 'arn:aws:states:::states:startExecution.sync:2',
          Arguments: { StateMachineArn: `${PREFIX}:stateMachine:child`, Input: '{% $states.input %}' },
          Output: '{% $states.result.Output %}',
          TimeoutSeconds: 100,
          End: true,
        },
      }),
    );
    let next = 0;
    const worker = async (): Promise<number> => {
      let sum = 0;
      while (next < 1000) {
        const input = next++;
        const { output } = await machines.ended(
          machines.startExecution({ stateMachineArn, input }).executionArn,
        );
        sum += Number(output);
      }
      return sum;
    };
    const sums = await Promise.all(Array.from({ length: 100 }, worker));
    expect(sums.reduce((sum, part) => sum + part)).toBe(499_500);
    const kept = ['parent', 'child'].flatMap((name) =>
      machines.listExecutions({ stateMachineArn: `${PREFIX}:stateMachine:${name}` }),
    );
    expect(kept).toHaveLength(10);
  });
});
