import { PRICES } from '../../../authoring/plan/prices.ts';
import type { Deviation, ScenarioVerdict } from '../../../authoring/verify/verify.ts';
import { count, counted } from '../../../counted.ts';
import { inColumns } from './columns.ts';
import { inDollars } from './figures.ts';
import { oneLine } from './printable.ts';

/** What scenarios showed, as a table, and each difference in a line below. */
export function verdictsText(verdicts: readonly ScenarioVerdict[]): string {
  const column = (title: string, cell: (verdict: ScenarioVerdict) => string) => ({
    cells: [title, ...verdicts.map(cell)],
  });
  const figure = (title: string, cell: (verdict: ScenarioVerdict) => string) => ({
    ...column(title, cell),
    align: 'right' as const,
  });
  const table = inColumns([
    column('scenario', ({ scenario }) => scenario),
    column('ended as', ({ status }) => status || '-'),
    figure('executions', ({ executions }) => count(executions)),
    figure('events', ({ events }) => count(events)),
    figure('states', ({ transitions }) => count(transitions)),
    figure('seconds', ({ seconds }) => seconds.toFixed(1)),
    column('differs', ({ differences, leftOut }) =>
      leftOut === undefined ? differences.map(({ where }) => where).join(', ') || 'no' : 'left out',
    ),
  ]);
  const details = verdicts.flatMap(({ scenario, differences, leftOut }) => [
    ...(leftOut === undefined ? [] : [`${scenario} is left out: ${leftOut}`]),
    ...differences.map((difference) => `${scenario}: ${toSentence(difference)}`),
  ]);
  const lines = details.length === 0 ? table : [...table, '', ...details];
  return `${lines.join('\n')}\n`;
}

function toSentence({ where, line, expected, actual }: Deviation): string {
  return oneLine(`${where}, line ${line}: the interpreter has "${expected}", the environment "${actual}"`);
}

/** Its costs, and what it leaves behind. Functions and the store cost a small part of the price of states. */
export function closingLine(environment: string, verdicts: readonly ScenarioVerdict[]): string {
  const transitions = verdicts.reduce((total, verdict) => total + verdict.transitions, 0);
  const dollars = (transitions * PRICES.perMillion.transitions) / 1e6;
  const runs = verdicts.reduce((total, verdict) => total + verdict.runs.length, 0);
  const left = runs === 1 ? 'its run stays' : `its ${count(runs)} runs stay`;
  return `${counted(transitions, 'state')} entered, about ${inDollars(dollars)}; ${left} listed until expiry: cadre runs --env ${environment}`;
}

/** The same as JSON. */
export function toReport(environment: string, verdicts: readonly ScenarioVerdict[]) {
  return {
    environment,
    same: verdicts.every(({ differences }) => differences.length === 0),
    scenarios: verdicts.map(({ leftOut, ...verdict }) => ({
      ...verdict,
      seconds: Number(verdict.seconds.toFixed(1)),
      ...(leftOut !== undefined && { left_out: leftOut }),
    })),
  };
}
