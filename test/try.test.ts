import { test } from 'vitest';
import { play, countedIn, NO_FAULTS } from '/work/wt-money/test/budget/simulated-account.ts';
test('x', async () => {
  for (const [name, budget, levels] of [
    ['fits', { tokens: 10_000_000 }, [{calls: 10, turns: 2, parallel: true},{calls: 40, turns: 2, parallel: true},{calls: 0, turns: 1, parallel: true}]],
    ['short', { tokens: 600_000 }, [{calls: 10, turns: 2, parallel: true},{calls: 40, turns: 2, parallel: true},{calls: 0, turns: 1, parallel: true}]],
    ['shorter', { tokens: 200_000 }, [{calls: 10, turns: 2, parallel: true},{calls: 40, turns: 2, parallel: true},{calls: 0, turns: 1, parallel: true}]],
    ['small', { tokens: 60_000, m: 500 }, [{calls: 10, turns: 2, parallel: true},{calls: 40, turns: 2, parallel: true},{calls: 0, turns: 1, parallel: true}]],
    ['small20', { tokens: 60_000, m: 500 }, [{calls: 20, turns: 2, parallel: true},{calls: 20, turns: 2, parallel: true},{calls: 0, turns: 1, parallel: true}]],
    ['40', { tokens: 60_000 }, [{calls: 40, turns: 2, parallel: true},{calls: 0, turns: 1, parallel: true}]],
  ] as const) {
    const t = performance.now();
    const p = await play({ budget: { tokens: budget.tokens }, maxTokens: (budget as {m?: number}).m ?? 0, levels, chances: NO_FAULTS, stops: [], seed: 1, slowness: 2000, share: (r) => r ** 3 });
    const shared = new Map<string, number>();
    let failed = 0, cross = 0;
    for (const w of p.writes) { if (!w.written) failed++; if (w.by !== w.run) cross++; }
    const parents = new Map<string, number>();
    for (const w of p.writes) parents.set(w.run, (parents.get(w.run) ?? 0) + 1);
    console.log(name, { ms: Math.round(performance.now() - t), real: p.real.tokens, counted: countedIn(p).tokens, runs: p.tree.length, statuses: p.tree.filter((r) => r.status === 'budget_exceeded').length, writes: p.writes.length, failed, cross, by: JSON.stringify(Object.fromEntries([...p.writes.reduce((m, w) => { const k = `${w.by === w.run ? 'own' : 'cross'} ${w.run.slice(0, 2)} ${w.written ? 'ok' : 'failed'}`; return m.set(k, (m.get(k) ?? 0) + 1) }, new Map<string, number>())])), top: parents.get(p.id), most: Math.max(...parents.values()), extra: p.writes.filter((w) => w.by !== w.run || !w.written).length / p.tree.length, refusals: p.refusals.map((r) => Math.round(100 * r.busy.tokens / budget.tokens)).join() });
  }
}, 100_000);
