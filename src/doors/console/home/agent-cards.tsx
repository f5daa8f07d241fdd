import { count } from '../../../counted.ts';
import type { CostRow } from '../../../core/reports/cost-report.ts';
import type { AgentList, AgentResource, RunList, RunResource } from '../../api/answers.ts';
import { AgentFaults } from '../agents/agent-faults.tsx';
import type { ApiAnswer } from '../client/use-answer.ts';
import { atTop, hrefOf } from '../route.ts';
import { Empty } from '../shared/empty.tsx';
import { dayName, successShare, until } from '../shared/figures.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useNow } from '../shared/use-now.ts';
import { visible } from '../shared/visible.ts';
import { RunSymbol } from '../tree/run-symbol.tsx';
import { stateName } from '../tree/state-words.ts';
import { Section } from './section.tsx';

export interface AgentCardsProps {
  agents: ApiAnswer<AgentList>;
  /** The newest runs of all agents; undefined until they are known. */
  newest: RunList | undefined;
  /** What each agent came to on each day; undefined until it is known. */
  costs: readonly CostRow[] | undefined;
  onStart: (agent: string) => void;
}

const SHOWN = 12;
const TICK_MS = 30_000;

/** The agents of this place, those that ran last first. */
export function AgentCards({ agents, newest, costs, onStart }: AgentCardsProps) {
  const now = useNow(true, TICK_MS);
  const all = <a href={hrefOf({ view: 'agents' })}>All agents, and who calls whom</a>;
  return (
    <Section title="Agents" answer={agents} height={320} aside={all} class="home-agents">
      {({ agents: list, faults }) => {
        const runs = newest?.runs ?? [];
        const lastOf = (name: string) => runs.find(({ agent }) => agent === name);
        const order = (name: string) => {
          const at = runs.findIndex(({ agent }) => agent === name);
          return at === -1 ? runs.length : at;
        };
        const sorted = [...list].sort((one, other) => order(one.name) - order(other.name));
        return (
          <>
            <AgentFaults faults={faults} />
            {list.length === 0 && (
              <Empty>
                There is no agent here yet. An agent is a file that says what it is for and what it may do.
              </Empty>
            )}
            <ul class="home-cards">
              {sorted.slice(0, SHOWN).map((agent) => (
                <AgentCard
                  key={agent.name}
                  agent={agent}
                  last={lastOf(agent.name)}
                  rows={costs?.filter((row) => row.agent === agent.name)}
                  now={now}
                  onStart={onStart}
                />
              ))}
            </ul>
          </>
        );
      }}
    </Section>
  );
}

interface AgentCardProps {
  agent: AgentResource;
  last: RunResource | undefined;
  rows: readonly CostRow[] | undefined;
  now: number;
  onStart: (agent: string) => void;
}

function AgentCard({ agent: { name, description, schedule }, last, rows, now, onStart }: AgentCardProps) {
  const sum = (key: 'succeeded' | 'failed' | 'runs') =>
    (rows ?? []).reduce((total, row) => total + row[key], 0);
  const share = successShare({ succeeded: sum('succeeded'), failed: sum('failed') });
  const lastDay = rows?.find((row) => row.runs > 0)?.day;
  return (
    <li class="home-card">
      <h3>
        <a data-line href={hrefOf({ view: 'agent', name })}>
          {name}
        </a>
      </h3>
      <p class="home-about">
        {description === '' ? <span class="muted">It has no description.</span> : visible(description)}
      </p>
      <p class="home-facts muted">
        {last !== undefined ? (
          <span>
            <RunSymbol run={last} />
            <a href={hrefOf(atTop(last.run_id))}>
              {stateName(last)} <RelativeTime at={last.started_at} now={now} />
            </a>
          </span>
        ) : (
          <span>{lastDay === undefined ? 'has not run lately' : `last ran on ${dayName(lastDay)}`}</span>
        )}
        {share !== undefined && (
          <span>
            {share} of {count(sum('runs'))} succeeded
          </span>
        )}
        {schedule !== undefined && (
          <span title={`${schedule.expression}, ${schedule.timezone}`}>{scheduleWords(schedule, now)}</span>
        )}
      </p>
      <button type="button" class="plain" aria-label={`Start ${name}`} onClick={() => onStart(name)}>
        Start…
      </button>
    </li>
  );
}

function scheduleWords(
  { enabled, expression, next }: NonNullable<AgentResource['schedule']>,
  now: number,
): string {
  if (!enabled) return `${expression}, switched off`;
  if (next === null) return `${expression}, never again`;
  return `next ${until(next, now)}`;
}
