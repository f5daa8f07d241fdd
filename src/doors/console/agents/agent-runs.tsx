import { counted } from '../../../counted.ts';
import type { Costs, RunList, RunResource } from '../../api/answers.ts';
import { useAnswer } from '../client/use-answer.ts';
import { hrefOf } from '../route.ts';
import { RunLine } from '../runs/run-line.tsx';
import { dollars, duration, successShare, tokenCount } from '../shared/figures.ts';
import { Answered } from '../shared/answered.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useNow } from '../shared/use-now.ts';
import { VersionChanges } from './version-changes.tsx';

/** So many say how an agent does. */
const NEWEST = 50;
/** Of these, so many are listed. */
const LISTED = 8;
const DAYS = 30;
const TICK_MS = 10_000;

/**
 * The newest runs of an agent at the tops of their trees: how they ended, what they cost, and which version made them.
 * @param current the version that a run begun now would have
 */
export function AgentRuns({ name, current }: { name: string; current: string | null }) {
  const newest = useAnswer<RunList>(`runs?agent=${encodeURIComponent(name)}&limit=${NEWEST}`);
  const costs = useAnswer<Costs>(`costs?by=agent&since=${DAYS}d`);
  const spent = costs.data?.rows.find((row) => row.agent === name);
  const now = useNow(true, TICK_MS);
  return (
    <section class="card">
      <div class="head">
        <h2>Runs</h2>
        <a href={hrefOf({ view: 'runs', filter: { agent: name } })}>All of its runs</a>
      </div>
      <ProblemText text={costs.problem} />
      {spent !== undefined && (
        <p>
          In {DAYS} days, below other agents too: {counted(spent.runs, 'run')}, {spent.succeeded} succeeded
          and {spent.failed} failed, {tokenCount(spent.tokens)}, {dollars(spent.usd)}
          {spent.unpriced !== undefined && ' as far as prices are known'}
        </p>
      )}
      <Answered answer={newest} height={28} lines={5}>
        {({ runs }) =>
          runs.length === 0 ? (
            <p class="muted">It has not run yet at the top of a tree.</p>
          ) : (
            <>
              <Shares runs={runs} />
              <ul class="run-lines">
                {runs.slice(0, LISTED).map((run) => (
                  <RunLine key={run.run_id} run={run} now={now} hasAgent={false} />
                ))}
              </ul>
              <Versions runs={runs} current={current} now={now} />
            </>
          )
        }
      </Answered>
    </section>
  );
}

/** How its runs ended, and the median of their costs and times. */
function Shares({ runs }: { runs: readonly RunResource[] }) {
  // One that has answered and waits for others has not ended.
  const ended = runs.filter((run) => run.ended_at !== null && run.status !== 'idle');
  const good = ended.filter(({ status }) => status === 'succeeded').length;
  const costs = ended.flatMap(({ tree }) => tree.usd ?? []).sort((one, other) => one - other);
  const times = ended.flatMap((run) => run.duration_ms ?? []).sort((one, other) => one - other);
  const [cost, time] = [middle(costs), middle(times)];
  const figures: [label: string, value: string][] = [
    ['succeeded', successShare({ succeeded: good, failed: ended.length - good }) ?? '–'],
    ['median cost', cost === undefined ? '–' : dollars(cost)],
    ['median time', time === undefined ? '–' : duration(time)],
  ];
  return (
    <>
      <dl class="agent-figures">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        Of {ended.length === 1 ? 'one run' : `the newest ${ended.length} runs`} that ended, with all below
        them
      </p>
    </>
  );
}

function middle(sorted: readonly number[]): number | undefined {
  return sorted[Math.floor(sorted.length / 2)];
}

interface VersionsProps {
  runs: readonly RunResource[];
  current: string | null;
  now: number;
}

/** Which version made which of its runs, and what has changed since the older ones. */
function Versions({ runs, current, now }: VersionsProps) {
  const versions = new Map<string, RunResource[]>();
  for (const run of runs) {
    const version = run.version ?? '';
    versions.set(version, [...(versions.get(version) ?? []), run]);
  }
  return (
    <>
      <h3>Versions</h3>
      <ul class="agent-versions">
        {[...versions].map(([version, made]) => {
          const [newest] = made;
          if (newest === undefined) return null;
          const good = made.filter(({ status }) => status === 'succeeded').length;
          return (
            <li key={version}>
              <div class="row-of-actions">
                <span class="code">{version === '' ? 'not known' : version}</span>
                {version === current && <span class="badge good">now</span>}
                <span class="muted">
                  {counted(made.length, 'run')}, {good} succeeded, the last{' '}
                  <RelativeTime at={newest.started_at} now={now} />
                </span>
              </div>
              {version !== current && <VersionChanges run={newest.run_id} />}
            </li>
          );
        })}
      </ul>
    </>
  );
}
