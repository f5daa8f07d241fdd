import { describe, expect, test } from 'vitest';
import { delegateResult, type ChildEnd } from '../../src/conversation/outcome.ts';
import type { Run } from '../../src/runs/run.ts';

const call = { id: 'toolu_1', name: 'call_agent', arguments: {} };
const plan = { kind: 'delegate', agent: 'helper', task: 'look', context: '' } as const;
const run: Run = {
  id: 'helper-00000000000000-t1c1',
  root: 'top-00000000000000',
  agent: 'helper',
  model: 'offline/extractive',
  depth: 1,
  status: 'succeeded',
  startedAt: '2026-01-01T00:00:00.000Z',
  execution: 'arn',
  timeout: 9,
  usage: { turns: 1, toolCalls: 0, inputTokens: 0, outputTokens: 0 },
};
const failed = (error: string, message: string, status: Run['status'] = 'failed'): Run => ({
  ...run,
  status,
  failure: { error, message },
});

describe('the result of a delegation', () => {
  test('is the final text alone', () => {
    const end: ChildEnd = { run, text: 'found it', outcome: { call: 1 }, timeout: 9 };
    expect(delegateResult(call, plan, end)).toEqual({
      callId: 'toolu_1',
      name: 'call_agent',
      text: 'found it',
      isError: false,
    });
  });

  test('is the final text even where the machine only saw that the child was there already', () => {
    const outcome = { call: 1, error: 'StepFunctions.ExecutionAlreadyExistsException', cause: 'x' };
    expect(delegateResult(call, plan, { run, text: '', outcome, timeout: 9 })).toMatchObject({
      text: '',
      isError: false,
    });
  });

  const taskFailed = { call: 1, error: 'States.TaskFailed', cause: '' };
  const ends: [string, Omit<ChildEnd, 'text'>, string][] = [
    [
      'a failure that the child wrote down',
      { run: failed('ModelError', 'rate_limit: slow down'), outcome: taskFailed, timeout: 9 },
      'rate_limit: slow down',
    ],
    [
      'a child that ran out of its own time',
      { run: failed('ModelError', 'timeout: x', 'timed_out'), outcome: taskFailed, timeout: 9 },
      'timeout after 9s',
    ],
    [
      'a child that the machine gave up on',
      { run: { ...run, status: 'running' }, outcome: { call: 1, error: 'States.Timeout' }, timeout: 9 },
      'timeout after 9s',
    ],
    [
      'a child that somebody stopped',
      { run: { ...run, status: 'stopped' }, outcome: taskFailed, timeout: 9 },
      'it was stopped',
    ],
    [
      'a child that never started',
      {
        run: undefined,
        outcome: { call: 1, error: 'StepFunctions.AccessDeniedException', cause: 'not authorized' },
        timeout: 9,
      },
      'StepFunctions.AccessDeniedException: not authorized',
    ],
    ['a child of which nothing is known', { run: undefined, outcome: undefined, timeout: 9 }, 'no result'],
  ];
  test.each(ends)('tells the model of %s', (_, end, reason) => {
    expect(delegateResult(call, plan, { ...end, text: undefined })).toEqual({
      callId: 'toolu_1',
      name: 'call_agent',
      text: `Error: sub-agent "helper" failed - ${reason}. You may retry or proceed without this result.`,
      isError: true,
    });
  });
});
