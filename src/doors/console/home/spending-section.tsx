import { count, counted } from '../../../counted.ts';
import type { Costs } from '../../api/answers.ts';
import type { ApiAnswer } from '../client/use-answer.ts';
import { hrefOf } from '../route.ts';
import { dollars, successShare } from '../shared/figures.ts';
import { Empty } from '../shared/empty.tsx';
import { DayChart } from './day-chart.tsx';
import { LimitsToday } from './limits-today.tsx';
import { Section } from './section.tsx';
import { spendingOf, type AgentSpending, type ShownSpending } from './spending.ts';

/** How many days are looked back. */
export const DAYS = 14;

/** What agents have cost, how often they ran, how that went, and how much of today's limits is gone. */
export function SpendingSection({ answer }: { answer: ApiAnswer<Costs> }) {
  return (
    <Section title={`Last ${DAYS} days`} answer={answer} height={420}>
      {({ rows, limits }) => (
        <>
          <LimitsToday limits={limits} />
          <Charts spending={spendingOf(rows, Date.now(), DAYS)} />
        </>
      )}
    </Section>
  );
}

function Charts({ spending }: { spending: ShownSpending }) {
  const { days, agents, total, isPriced } = spending;
  if (total.runs === 0) {
    return <Empty>No run in this time. What runs cost appears here, day by day.</Empty>;
  }
  const name = (agent: string | undefined) => agent ?? 'others';
  const series = (value: (day: AgentSpending['daily'][number]) => number) =>
    agents.map(({ agent, daily }, index) => ({
      name: name(agent),
      colour: seriesColour(agent, index),
      values: daily.map(value),
    }));
  return (
    <div class="home-spending">
      <Figure
        value={dollars(total.usd)}
        what={isPriced ? 'cost' : 'cost, without models of unknown prices'}
      />
      <DayChart
        label={`Cost of each day: ${dollars(total.usd)} in all`}
        days={days}
        format={dollars}
        series={series(({ usd }) => usd)}
      />
      <Figure
        value={count(total.runs)}
        what={`runs of agents, ${successShare(total) ?? 'none'} succeeded, ${count(total.failed)} failed`}
      />
      <DayChart
        label={`Runs of each day: ${counted(total.runs, 'run')} in all`}
        days={days}
        format={(runs) => counted(runs, 'run')}
        series={series(({ runs }) => runs)}
      />
      <table class="home-legend">
        <thead>
          <tr>
            <th>Agent</th>
            <th>Runs</th>
            <th>Succeeded</th>
            <th>Cost</th>
          </tr>
        </thead>
        <tbody>
          {agents.map((each, index) => (
            <tr key={name(each.agent)}>
              <td>
                <span class="home-swatch" style={{ background: seriesColour(each.agent, index) }} />
                {each.agent === undefined ? (
                  'others'
                ) : (
                  <a href={hrefOf({ view: 'agent', name: each.agent })}>{each.agent}</a>
                )}
              </td>
              <td>{count(each.runs)}</td>
              <td>{successShare(each) ?? '–'}</td>
              <td>{dollars(each.usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {/* A table is never smaller than its content. */}
      <div class="spoken">
        <table>
          <caption>Each day</caption>
          <thead>
            <tr>
              <th>Day</th>
              <th>Cost</th>
              <th>Runs</th>
              <th>Failed</th>
            </tr>
          </thead>
          <tbody>
            {days.map((day, index) => (
              <tr key={day}>
                <td>{day}</td>
                <td>{dollars(total.daily[index]?.usd ?? 0)}</td>
                <td>{total.daily[index]?.runs}</td>
                <td>{total.daily[index]?.failed}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Figure({ value, what }: { value: string; what: string }) {
  return (
    <p class="home-figure">
      <strong>{value}</strong> <span class="muted">{what}</span>
    </p>
  );
}

function seriesColour(agent: string | undefined, index: number): string {
  return `var(--series-${agent === undefined ? 'rest' : index + 1})`;
}
