import { expect, test } from 'vitest';
import { fromCursor, toCursor } from '../../../src/core/events/positions.ts';
import { call, latch, openStage, use } from '../../fixtures/stage.ts';
import { cutsOf, follow, listed, openRun } from './harness.ts';

test('a call that ends first is told first', async () => {
  const hasSeen = latch();
  const stage = await openStage(
    {
      top: ({ turn }) => (turn === 1 ? [call('slow', 'x'), call('quick', 'y')] : 'done'),
      async slow() {
        await hasSeen.opened;
        return 'late';
      },
      quick: () => 'soon',
    },
    { top: 'sub_agents = ["slow", "quick"]\n' },
  );
  const { top, store, run } = await openRun(stage);
  const running = run();
  const ended: number[] = [];
  for await (const { event } of follow(top, store)) {
    if (event.type !== 'call_finished') continue;
    ended.push(event.call);
    hasSeen.open();
  }
  await running;
  expect(ended).toEqual([2, 1]);
  const later = (await listed(top, store)).map(({ event }) => event);
  expect(later.flatMap((event) => (event.type === 'call_finished' ? [event.call] : []))).toEqual([2, 1]);
  // Who is cut off between both ends goes on with what is left.
  const all = await cutsOf(top, store);
  const between = all.findIndex(({ event }) => event.type === 'TOOL_CALL_RESULT');
  const rest = await cutsOf(top, store, all[between]?.cursor);
  expect(rest.map(({ event }) => event)).toEqual(all.slice(between + 1).map(({ event }) => event));
});

test('a call of a tool begins when the tool does', async () => {
  const write = (path: string) => use('write_file', { path, content: 'x' });
  const stage = await openStage(
    { top: ({ turn }) => (turn === 1 ? [write('a'), write('b')] : 'done') },
    { top: 'tools = ["write_file"]\n' },
  );
  const { top, store, run } = await openRun(stage);
  await run();
  const calls = (await listed(top, store)).filter(({ event }) => event.type.startsWith('call_'));
  expect(calls.map(({ event }) => `${event.type} ${'call' in event ? event.call : ''}`)).toEqual([
    'call_started 1',
    'call_finished 1',
    'call_started 2',
    'call_finished 2',
  ]);
  const [begun, ended] = await Promise.all([
    store.callMark({ run: top.id, turn: 1, call: 2 }),
    store.callResult({ run: top.id, turn: 1, call: 2 }),
  ]);
  expect(begun?.at).toBe(Date.parse(ended?.startedAt ?? ''));
  expect(calls[2]?.at).toBe(begun?.at);
});

test('a cursor of an earlier version is read, in which calls had ended in their order', () => {
  const text = JSON.stringify([
    'top-00000000000000',
    [
      ['', 2, 2, 3, 1],
      ['t2c2', 1, 0, 0, 0, 0, 0, 0, 1],
    ],
  ]);
  const positions = fromCursor('top-00000000000000', Buffer.from(text).toString('base64url'));
  const untouched = { sent: 0, written: 0, askedAt: 0 };
  expect(positions).toEqual(
    new Map([
      [
        '',
        {
          turn: 2,
          told: 2,
          begun: new Set([1, 2, 3]),
          ended: new Set([1]),
          ...untouched,
          closedBy: undefined,
          closedSince: 0,
          wasIdle: false,
          seenAt: 0,
        },
      ],
      [
        't2c2',
        {
          turn: 1,
          told: 0,
          begun: new Set(),
          ended: new Set(),
          ...untouched,
          closedBy: 1,
          closedSince: 0,
          wasIdle: false,
          seenAt: 0,
        },
      ],
    ]),
  );
  positions?.get('')?.ended.add(3);
  const again = positions && toCursor('top-00000000000000', positions);
  expect(fromCursor('top-00000000000000', again ?? '')).toEqual(positions);
});
