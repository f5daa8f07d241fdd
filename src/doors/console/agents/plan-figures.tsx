import { count, counted } from '../../../counted.ts';
import type { PlanReport } from '../../../core/reports/agent-report.ts';
import { dollars } from '../shared/figures.ts';
import { visible } from '../shared/visible.ts';
import { AgentFacts } from './agent-facts.tsx';

type Amount = PlanReport['expected'];

const MOST_NAMED = 6;

const ROWS: [label: string, value: (amount: Amount) => string][] = [
  ['Runs', ({ runs }) => count(runs)],
  ['Turns', ({ turns }) => count(turns)],
  ['Calls of agents', ({ calls }) => count(calls)],
  ['Calls of tools', ({ tool_calls: calls }) => count(calls)],
  ['Approvals', ({ approvals }) => count(approvals)],
  ['Services, 1,000 runs', ({ usd_per_1000_runs: usd }) => dollars(usd['total'] ?? null)],
];

/** What runs may come to, as `cadre plan` has it. */
export function PlanFigures({ plan }: { plan: PlanReport }) {
  const { depth, max_depth: most, turns_at_once: atOnce, too_deep: tooDeep, cycles, models } = plan;
  const facts: [label: string, value: string][] = [
    ['Depth', `${depth} of ${most}`],
    ['Turns at once', `at most ${count(atOnce)}`],
    ['Too deep', some(tooDeep)],
    ['Cycles', some(cycles.map((way) => way.join(' → ')))],
    ['Prices, a million tokens', some(models.map(priceOf))],
  ];
  const notes = [...plan.problems, ...plan.warnings];
  return (
    <section class="card">
      <h2>Plan</h2>
      <table class="agent-plan">
        <thead>
          <tr>
            <td />
            <th scope="col">expected</th>
            <th scope="col">at most</th>
            <th scope="col">alone at most</th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map(([label, value]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{value(plan.expected)}</td>
              <td>{value(plan.tree_at_most)}</td>
              <td>{value(plan.run_at_most)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <AgentFacts rows={facts} />
      {notes.length > 0 && (
        <details>
          <summary class="attention">{counted(notes.length, 'problem')} with its limits or models</summary>
          {notes.map((text) => (
            <p key={text}>{visible(text)}</p>
          ))}
        </details>
      )}
    </section>
  );
}

function priceOf({ model, usd_per_million_tokens: usd }: PlanReport['models'][number]): string {
  if (usd === null) return `${model} not known`;
  return usd.input + usd.output === 0
    ? `${model} free`
    : `${model} ${dollars(usd.input)} in, ${dollars(usd.output)} out`;
}

/** The first of a list, and how many more there are. */
function some(texts: readonly string[]): string {
  const rest = texts.length - MOST_NAMED;
  return rest > 0 ? `${texts.slice(0, MOST_NAMED).join(', ')} and ${rest} more` : texts.join(', ');
}
