import { expect, test } from 'vitest';
import { NOTHING } from '../../../src/core/records/amounts.ts';
import { openLedger, type Ledger } from '../../../src/core/records/ledger.ts';
import { refill } from '../../../src/core/spending/shares.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';

test('an invocation that comes late, with a ledger from before its share was settled, takes nothing off what its tree has spent', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  const kid = aSubAgent(top);
  for (const run of [top, kid]) await keepRun(store, run);
  const keep = (run: string, ledger: Ledger) => store.changeLedger(run, () => ({ ledger }));
  const spent = { ...NOTHING, tokens: 10, turns: 1, toolCalls: 1, runs: 1 };
  const begun = openLedger({ tokens: 100 });
  // It has used 10 of its 100, and given the rest back; its parent has counted those 10, and forgotten its share.
  await keep(kid.id, { ...begun, used: { ...NOTHING, tokens: 10 }, returned: { ...NOTHING, tokens: 90 } });
  await keep(top.id, { ...openLedger({ tokens: 1_000 }), used: { ...spent, tokens: 20 } });

  const wanted = { ...NOTHING, tokens: 150 };
  const { given } = await refill(
    kid,
    begun,
    { wanted, needed: wanted, left: NOTHING },
    { store, now: Date.now },
  );

  expect(given).toEqual({ tokens: 250 });
  expect(await store.ledger(top.id)).toEqual({
    ...openLedger({ tokens: 1_000 }),
    used: { ...spent, tokens: 10 },
    shares: {
      [kid.id]: { given: { tokens: 250 }, back: { ...NOTHING, tokens: 90 } },
    },
  });
});

test.each([
  ['that have more than they need soon', NOTHING],
  ['that all need what they have', { ...NOTHING, tokens: 400 }],
])('of sub-agents %s, the second is not asked for what the first one gives', async (_, left) => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const top = aRun();
  const [one, other] = [1, 2].map((call) =>
    aSubAgent(top, { path: `t1c${call}`, parent: { run: top.id, turn: 1, call } }),
  );
  if (one === undefined || other === undefined) throw new Error('there are two');
  const own = openLedger({ tokens: 400 });
  for (const run of [top, one, other]) await keepRun(store, run);
  for (const { id } of [one, other]) await store.changeLedger(id, () => ({ ledger: own }));
  const shares = { [one.id]: { given: { tokens: 400 } }, [other.id]: { given: { tokens: 400 } } };
  const needed = { ...NOTHING, tokens: 300 };

  const { hasFound } = await refill(
    top,
    { ...openLedger({ tokens: 800 }), shares },
    { wanted: needed, needed, left },
    { store, now: Date.now },
  );

  expect(hasFound).toBe(true);
  expect(await store.ledger(one.id)).toEqual({ ...own, returned: needed });
  expect(await store.ledger(other.id)).toEqual(own);
});
