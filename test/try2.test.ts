import { test } from 'vitest';
import { play, countedIn, type Scenario } from './budget/simulated-account.ts';
import { LIMITS } from '../src/runs/ledger.ts';
const N = Number(process.env.N ?? 60), S = Number(process.env.S ?? 1);
test('x', async () => {
  const bad: string[] = [];
  for (let seed = S; seed < S + N; seed++) {
    let state = seed * 7919;
    const r = () => { state = (state * 1103515245 + 12345) & 0x7fffffff; return state / 0x7fffffff; };
    const pick = <T,>(...a: T[]) => a[Math.floor(r() * a.length)]!;
    const limits: Record<string, number> = {};
    if (r() < 0.8) limits.tokens = pick(1500, 5000, 20000, 100000, 400000);
    if (r() < 0.4) limits.nanoUsd = pick(3e6, 2e7, 3e8, 1e9);
    if (r() < 0.4) limits.turns = pick(1, 2, 3, 10, 50);
    if (r() < 0.4) limits.toolCalls = pick(1, 2, 5, 20);
    if (Object.keys(limits).length === 0) limits.tokens = 9000;
    const f = process.env.F ? 0 : r() < 0.25 ? 0 : 1;
    const big = r() < 0.1;
    const s: Scenario = {
      budget: limits, seed, share: (x) => x ** pick(1, 4),
      levels: [
        { calls: big ? 10 : pick(1, 2, 3, 8), turns: pick(1, 2, 3), parallel: r() < 0.7 },
        { calls: big ? 40 : pick(0, 1, 2, 4), turns: pick(1, 2, 3), parallel: r() < 0.7 },
        { calls: 0, turns: 1, parallel: true },
      ],
      chances: { death: f * pick(0, 0.02, 0.1), deathAtAnswer: f * pick(0, 0.1), throttle: f * pick(0, 0.05), duplicate: f * pick(0, 0.2), unusable: f * pick(0, 0.1), impatience: f * pick(0, 0.15) },
      stops: f && r() < 0.4 ? [Math.floor(r() * 10), Math.floor(r() * 10)] : [],
      ...(r() < 0.5 && { maxTokens: pick(100, 1000) }),
    };
    try {
      const p = await play(s);
      if (process.env.V) console.log(JSON.stringify(s), p.tree.map((t) => `${t.path} ${t.status} ${t.exceeded ?? ''}`).join('\n'), JSON.stringify(p.refusals));
      const counted = countedIn(p);
      for (const l of LIMITS) {
        const max = { runs: 1000, ...limits }[l];
        if (max === undefined) continue;
        const faulty = f && Object.values(s.chances).some((c) => c > 0) || s.stops.length > 0;
        if (p.real[l] > max) bad.push(`${seed} OVER ${l} ${p.real[l]} of ${max}`);
        if (counted[l] < p.real[l]) bad.push(`${seed} UNDER ${l} counted ${counted[l]} real ${p.real[l]}`);
        if (!faulty && counted[l] !== p.real[l]) bad.push(`${seed} LOST ${l} counted ${counted[l]} real ${p.real[l]}`);
        if (faulty && (l === 'tokens' || l === 'nanoUsd') && counted[l] > p.real[l] + p.lost[l]) bad.push(`${seed} LOST ${l} counted ${counted[l]} real ${p.real[l]} lost ${p.lost[l]} ${JSON.stringify(s.chances)} ${s.stops}`);
      }
      if (!f) for (const { busy, text } of p.refusals) {
        const m = /used \d+ of (\d+) tokens; the next call could cost up to (\d+)/.exec(text);
        if (m && busy.tokens < 0.8 * Number(m[1]) - Number(m[2])) bad.push(`${seed} IDLE ${busy.tokens} ${text} ${JSON.stringify(s.levels)}`);
      }
    } catch (e) { bad.push(`${seed} THROWN ${(e as Error).stack}`); }
  }
  console.log(bad.length, bad.slice(0, 40).join('\n'));
}, 600_000);
