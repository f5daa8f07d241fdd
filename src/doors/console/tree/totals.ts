import type { RunOverview } from '../../../core/reports/run-schemas.ts';

/** The sums of a run: alone or together with everything below it. */
export interface Totals {
  runs: number;
  turns: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  usd: number;
  /** Runs whose cost is not known. */
  unpriced: number;
  /** Runs that are at work, idle ones not among them. */
  atWork: number;
  failures: number;
  /** Runs that wait for a person. */
  asking: number;
}

export const NOTHING: Readonly<Totals> = {
  runs: 0,
  turns: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  usd: 0,
  unpriced: 0,
  atWork: 0,
  failures: 0,
  asking: 0,
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record has all of them and nothing else
const KEYS = Object.keys(NOTHING) as readonly (keyof Totals)[];

export function totalsOf(run: RunOverview): Totals {
  return {
    runs: 1,
    turns: run.turns,
    toolCalls: run.tool_calls,
    inputTokens: run.input_tokens,
    outputTokens: run.output_tokens,
    cacheReadTokens: run.cache_read_tokens,
    usd: run.usd ?? 0,
    unpriced: run.usd === null ? 1 : 0,
    atWork: run.status === 'running' ? 1 : 0,
    failures: hasFailed(run) ? 1 : 0,
    asking: waitsForPerson(run) ? 1 : 0,
  };
}

/** Adds `more` to totals, or takes it away. */
export function addTo(totals: Totals, more: Readonly<Totals>, sign: 1 | -1): void {
  for (const key of KEYS) totals[key] += sign * more[key];
}

export function tokensOf({ inputTokens, outputTokens }: Totals): number {
  return inputTokens + outputTokens;
}

/** The cost; null where nothing of it is known. */
export function costOf({ usd, unpriced, runs }: Totals): number | null {
  return unpriced === runs ? null : usd;
}

/** Whether something went wrong with the run itself: being stopped, or a spent budget, is no failure. */
export function hasFailed({ status }: RunOverview): boolean {
  return status === 'failed' || status === 'timed_out' || status === 'interrupted';
}

export function waitsForPerson({ waits_for: waits = [] }: RunOverview): boolean {
  return waits.some((wait) => wait.for === 'person');
}
