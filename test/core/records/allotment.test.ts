import { expect, test } from 'vitest';
import {
  addToTop,
  budgetIn,
  closeAllotment,
  copyTaken,
  ledgerOfTop,
  passOverAllotment,
  roomInBudget,
  spentByShard,
} from '../../../src/core/records/allotment.ts';
import { NOTHING } from '../../../src/core/records/amounts.ts';
import { MAX_RUNS_PER_TREE } from '../../../src/core/records/run.ts';

const NONE = { day: '', number: 0, taken: {}, received: 0 };
const limited = ledgerOfTop({ nanoUsd: 50, perDay: {} });
const unlimited = ledgerOfTop({ perDay: {} });
/** What two shards have given on a day. */
const taken = (first: number, second: number) => ({ total: { 0: first, 1: second } });

test('a tree under limits per day has its own budget beside what it has of them', () => {
  const runs = MAX_RUNS_PER_TREE;
  expect(ledgerOfTop({ nanoUsd: 50 })).toMatchObject({ received: { nanoUsd: 50, runs } });
  expect(ledgerOfTop()).not.toHaveProperty('allotment');
  expect(limited).toMatchObject({ received: { nanoUsd: 0, runs }, allotment: { ...NONE, budget: 50 } });
  expect(unlimited.allotment).toEqual(NONE);
  expect([ledgerOfTop({ nanoUsd: 50 }), limited, unlimited].map((ledger) => budgetIn(ledger))).toEqual([
    { nanoUsd: 50, runs },
    { nanoUsd: 50, runs },
    { runs },
  ]);
});

test('what is added to a budget counts for it alone where a limit per day holds the tree', () => {
  const more = { ...NOTHING, nanoUsd: 7, turns: 2 };
  expect(addToTop(limited, more)).toEqual({
    ...limited,
    received: { ...limited.received },
    allotment: { ...NONE, budget: 57 },
  });
  expect(addToTop(ledgerOfTop({ nanoUsd: 50, turns: 1 }), more).received).toEqual({
    nanoUsd: 57,
    turns: 3,
    runs: MAX_RUNS_PER_TREE,
  });
  expect(addToTop(unlimited, more).received.nanoUsd).toBe(7);
});

test('a tree gets what its shards have given, up to its budget, once', () => {
  const first = copyTaken(limited, { day: '2026-01-01', number: 1, taken: taken(20, 10) });
  expect(first.received.nanoUsd).toBe(30);
  expect(first.allotment).toEqual({
    budget: 50,
    day: '2026-01-01',
    number: 1,
    taken: taken(20, 10),
    received: 30,
  });
  expect(copyTaken(first, { day: '2026-01-01', number: 1, taken: taken(20, 10) })).toBe(first);
  // Older totals come late.
  expect(copyTaken(first, { day: '2026-01-01', number: 1, taken: taken(5, 10) })).toBe(first);
  expect(copyTaken(first, { day: '2025-12-31', number: 2, taken: taken(20, 90) })).toBe(first);
  expect(copyTaken(first, { day: '2026-01-01', number: 2, taken: taken(20, 90) })).toBe(first);
  const all = copyTaken(first, { day: '2026-01-01', number: 1, taken: taken(20, 90) });
  expect([all.received.nanoUsd, all.allotment?.received, roomInBudget(all)]).toEqual([50, 50, 0]);
  const next = copyTaken(first, { day: '2026-01-02', number: 2, taken: taken(1, 0) });
  expect([next.received.nanoUsd, next.allotment?.number, next.allotment?.received]).toEqual([31, 2, 1]);
  const free = copyTaken(unlimited, { day: '2026-01-01', number: 1, taken: taken(20, 90) });
  expect([free.received.nanoUsd, roomInBudget(free)]).toEqual([110, Infinity]);
});

test('what is left goes back, and an allotment that is over gives nothing', () => {
  const open = copyTaken(unlimited, { day: '2026-01-01', number: 1, taken: taken(20, 10) });
  const spent = { ...open, used: { ...NOTHING, nanoUsd: 12 } };
  const closed = closeAllotment(spent);
  expect([closed.returned.nanoUsd, closed.allotment?.spent]).toEqual([18, 12]);
  expect(closeAllotment(closed)).toBe(closed);
  expect(closeAllotment(ledgerOfTop())).toEqual(ledgerOfTop());
  expect(copyTaken(closed, { day: '2026-01-01', number: 1, taken: taken(20, 90) })).toBe(closed);
  const again = copyTaken(closed, { day: '2026-01-01', number: 2, taken: taken(4, 0) });
  expect([again.received.nanoUsd, again.allotment?.number]).toEqual([34, 2]);
});

test('an allotment that no ledger knows of is passed over', () => {
  expect(passOverAllotment(ledgerOfTop(), '2026-01-02', 3)).toEqual(ledgerOfTop());
  const passed = passOverAllotment(limited, '2026-01-02', 3);
  expect(passed).toEqual({
    ...limited,
    allotment: { budget: 50, day: '2026-01-02', number: 3, taken: {}, received: 0, spent: 0 },
  });
  expect(passOverAllotment(unlimited, '2026-01-02', 1).allotment).not.toHaveProperty('budget');
  expect(passOverAllotment(passed, '2026-01-03', 3)).toBe(passed);
  expect(passOverAllotment(passed, '2026-01-03', 4).allotment?.number).toBe(4);
});

test('the first shard that gave has been spent first', () => {
  expect(spentByShard({ 0: 5, 4: 3, 7: 2 }, 6)).toEqual(
    new Map([
      [0, 5],
      [4, 1],
      [7, 0],
    ]),
  );
});
