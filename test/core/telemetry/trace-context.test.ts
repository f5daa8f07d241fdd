import { expect, test } from 'vitest';
import {
  callSpanId,
  executionSpanId,
  isKept,
  isTraceparent,
  traceContextOf,
  turnSpanId,
} from '../../../src/core/telemetry/trace-context.ts';

const TRACE = '0123456789abcdef0123456789abcdef';
const SPAN = '0123456789abcdef';

test.each([
  [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, parentId: SPAN, isSampled: true }],
  [`00-${TRACE}-${SPAN}-00`, { traceId: TRACE, parentId: SPAN, isSampled: false }],
  [`00-${TRACE}-${SPAN}-03`, { traceId: TRACE, parentId: SPAN, isSampled: true }],
  [`00-${TRACE}-${SPAN}-fe`, { traceId: TRACE, parentId: SPAN, isSampled: false }],
  [undefined, undefined],
  [`01-${TRACE}-${SPAN}-01`, undefined],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE}-${SPAN}-01-x`, undefined],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
])('a tree belongs to the trace that %s names, or to one of its own', (traceparent, expected) => {
  const run = { id: 'top-00000000000000', ...(traceparent !== undefined && { traceparent }) };
  const own = { traceId: expect.stringMatching(/^[0-9a-f]{32}$/) };
  expect([isTraceparent(traceparent ?? ''), traceContextOf(run)]).toEqual([
    expected !== undefined,
    expected ?? own,
  ]);
});

test('a share of the traces is kept, but for what their callers have decided', () => {
  const ending = (digits: string, more = {}) => ({ traceId: `${'f'.repeat(24)}${digits}`, ...more });
  expect([
    isKept(ending('00000000'), 0),
    isKept(ending('00000000'), 0.001),
    isKept(ending('7fffffff'), 0.5),
    isKept(ending('80000000'), 0.5),
    isKept(ending('ffffffff'), 1),
    isKept(ending('00000000', { isSampled: false }), 1),
    isKept(ending('ffffffff', { isSampled: true }), 0),
  ]).toEqual([false, true, true, false, true, false, true]);
});

test('ids of spans follow from what they are of, and differ from each other', () => {
  const ids = () => [
    executionSpanId('run', 1),
    executionSpanId('run', 2),
    executionSpanId('other', 1),
    turnSpanId('run', 1),
    turnSpanId('run', 2),
    callSpanId({ run: 'run', turn: 1, call: 1 }),
    callSpanId({ run: 'run', turn: 1, call: 2 }),
  ];
  expect(ids()).toEqual(ids());
  expect(new Set(ids()).size).toBe(7);
  expect(ids().every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
});
