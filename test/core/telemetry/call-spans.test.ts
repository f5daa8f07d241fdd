import { expect, test } from 'vitest';
import type { CallResult } from '../../../src/core/records/call.ts';
import type { Plan } from '../../../src/core/records/plan.ts';
import { childOf } from '../../../src/core/records/run-id.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { callSpans } from '../../../src/core/telemetry/call-spans.ts';
import { callSpanId, executionSpanId } from '../../../src/core/telemetry/trace-context.ts';
import { aRun, aSubAgent, aTurn } from '../../fixtures/records.ts';

const run = aRun();
const START = Date.parse(run.startedAt);
const at = (ms: number) => new Date(START + ms).toISOString();
const calls = (plans: Plan[], next = false) => {
  const turn = aTurn({
    answer: {
      calls: plans.map((_, index) => ({
        id: index === 0 ? '' : `c${index + 1}`,
        name: `t${index + 1}`,
        arguments: { a: 1 },
      })),
    },
    plans,
    at: at(5),
  });
  const results = plans.map((_, index) => ({
    callId: '',
    name: '',
    text: `r${index + 1}`,
    isError: index === 1,
  }));
  return {
    turn,
    next: next ? aTurn({ number: 2, received: [{ role: 'tool' as const, results }] }) : undefined,
  };
};

const reads: Plan = { kind: 'invoke', subject: 'a', writes: false, isRepeatable: true, seconds: seconds(9) };
const delegates: Plan = { kind: 'delegate', agent: 'kid', task: 'x', context: '' };
const asks: Plan = { kind: 'ask', question: 'which?' };
const done: Plan = { kind: 'done', text: 'no', isError: true };

async function spansOf(
  { turn, next }: ReturnType<typeof calls>,
  known: { results?: Record<number, CallResult>; kidEnded?: string; answered?: string } = {},
  content = false,
) {
  const kid = aSubAgent(run, {
    startedAt: at(7),
    ...(known.kidEnded !== undefined && { status: 'succeeded', endedAt: known.kidEnded }),
  });
  const asked = {
    run: run.id,
    root: run.id,
    agent: 'top',
    turn: 1,
    call: 1,
    question: 'which?',
    askedAt: at(8),
  };
  return callSpans(
    run,
    turn,
    next,
    {
      callResult: async ({ call }) => known.results?.[call],
      run: async (id) => (id === childOf(run, 1, 1, 'kid').id ? kid : undefined),
      question: async ({ call }) => (call === 1 ? asked : undefined),
      answer: async () => (known.answered === undefined ? undefined : { text: 'x', at: known.answered }),
    },
    { context: { traceId: 'trace' }, content },
  );
}

const span = (call: number, start: number, end: number, more: object = {}, others: object = {}) => ({
  traceId: 'trace',
  spanId: callSpanId({ run: run.id, turn: 1, call }),
  parentId: executionSpanId(run.id, START),
  links: [],
  name: `execute_tool t${call}`,
  kind: 'internal',
  start: START + start,
  end: START + end,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.agent.name': 'top',
    'gen_ai.conversation.id': run.root,
    'gen_ai.tool.name': `t${call}`,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': call === 1 ? 't1c1' : `c${call}`,
    'cadre.turn': 1,
    ...more,
  },
  ...others,
});
const failed = { text: 'no', isError: true, failure: 'timeout' as const, startedAt: at(6), durationMs: 3 };
const kept = { text: 'kept', isError: false, startedAt: at(6), durationMs: 2 };

test('calls of tools take as long as their results say, and what is decided at once takes no time', async () => {
  const results = { 1: kept, 2: failed };
  expect(await spansOf(calls([reads, reads, done, reads]), { results })).toEqual([
    span(1, 6, 8),
    span(2, 6, 9, { 'error.type': 'timeout' }, { fault: 'timeout' }),
  ]);
  expect(await spansOf(calls([reads, done], true), { results: { 1: kept } }, true)).toEqual([
    span(1, 6, 8, { 'gen_ai.tool.call.arguments': '{"a":1}', 'gen_ai.tool.call.result': 'r1' }),
    span(
      2,
      5,
      5,
      {
        'gen_ai.tool.call.arguments': '{"a":1}',
        'gen_ai.tool.call.result': 'r2',
        'error.type': 'tool_error',
      },
      { fault: 'r2' },
    ),
  ]);
});

test('a call of another agent takes as long as its run, once that has ended', async () => {
  expect(await spansOf(calls([delegates]))).toEqual([]);
  expect(await spansOf(calls([delegates]), { kidEnded: at(20) })).toEqual([span(1, 7, 20)]);
  expect(await spansOf(calls([delegates]), { kidEnded: at(6) })).toEqual([span(1, 7, 7)]);
});

test('a question takes as long as its answer', async () => {
  expect(await spansOf(calls([asks]))).toEqual([]);
  expect(await spansOf(calls([asks]), { answered: at(30) })).toEqual([span(1, 8, 30)]);
  expect(await spansOf(calls([reads]), { answered: at(30) })).toEqual([]);
});
