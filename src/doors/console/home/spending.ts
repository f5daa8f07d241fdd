import type { CostRow } from '../../../core/reports/cost-report.ts';

/** What an agent, or several, have come to in a span of days. */
export interface AgentSpending {
  /** undefined for all those that are too small to be told apart. */
  agent: string | undefined;
  runs: number;
  succeeded: number;
  failed: number;
  usd: number;
  /** By day, in the order of `days`. */
  daily: { runs: number; failed: number; usd: number }[];
}

export interface ShownSpending {
  days: string[];
  /** The largest first. */
  agents: AgentSpending[];
  total: AgentSpending;
  /** Whether the prices of all runs are known. */
  isPriced: boolean;
}

/** As many as there are colours that can be told apart. */
const TOLD_APART = 6;
const DAY_MS = 86_400_000;

/** @param now milliseconds since 1970 @param length how many days, with today */
export function spendingOf(rows: readonly CostRow[], now: number, length: number): ShownSpending {
  const days = Array.from({ length }, (_, index) =>
    new Date(now - (length - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const names = [...new Set(rows.map(({ agent = '' }) => agent))];
  const each = names
    .map((agent) =>
      sumOf(
        agent,
        rows.filter((row) => (row.agent ?? '') === agent),
        days,
      ),
    )
    .sort((one, other) => other.usd - one.usd || other.runs - one.runs);
  const few = each.slice(0, each.length > TOLD_APART ? TOLD_APART - 1 : TOLD_APART);
  const small = new Set(each.slice(few.length).map(({ agent }) => agent));
  const rest = sumOf(
    undefined,
    rows.filter(({ agent = '' }) => small.has(agent)),
    days,
  );
  return {
    days,
    agents: small.size === 0 ? few : [...few, rest],
    total: sumOf(undefined, rows, days),
    isPriced: rows.every(({ unpriced = 0 }) => unpriced === 0),
  };
}

function sumOf(agent: string | undefined, rows: readonly CostRow[], days: readonly string[]): AgentSpending {
  const sum = (of: readonly CostRow[], key: 'runs' | 'succeeded' | 'failed' | 'usd') =>
    of.reduce((total, row) => total + row[key], 0);
  const totals = (of: readonly CostRow[]) => ({
    runs: sum(of, 'runs'),
    failed: sum(of, 'failed'),
    usd: sum(of, 'usd'),
  });
  return {
    agent,
    ...totals(rows),
    succeeded: sum(rows, 'succeeded'),
    daily: days.map((day) => totals(rows.filter((row) => row.day === day))),
  };
}
