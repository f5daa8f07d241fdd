import type { RunList } from '../../api/answers.ts';
import { useAnswer, type ApiAnswer } from '../client/use-answer.ts';
import { hrefOf } from '../route.ts';
import { Empty } from '../shared/empty.tsx';
import { useNow } from '../shared/use-now.ts';
import { useOpenQuestions } from '../steering/open-questions.ts';
import { RunLine } from '../runs/run-line.tsx';
import { Section } from './section.tsx';

/** How often to look what runs, and what has failed, in milliseconds. */
const RUNNING_MS = 3_000;
const FAILED_MS = 15_000;
const SHOWN = 6;
const TICK_MS = 1_000;

/** The runs at work, live. */
export function RunningNow() {
  const answer = useAnswer<RunList>(`runs?status=running&limit=${SHOWN}`, RUNNING_MS);
  const now = useNow((answer.data?.runs.length ?? 0) > 0, TICK_MS);
  const asking = new Set(useOpenQuestions().map(({ root }) => root));
  const all = hrefOf({ view: 'runs', filter: { status: 'running' } });
  return (
    <Section title="At work now" answer={answer} height={96} aside={<a href={all}>All at work</a>}>
      {({ runs }) =>
        runs.length === 0 ? (
          <Empty>No agent is at work.</Empty>
        ) : (
          <ul class="run-lines">
            {runs.map((run) => (
              <RunLine key={run.run_id} run={run} now={now} isAsking={asking.has(run.run_id)} />
            ))}
          </ul>
        )
      }
    </Section>
  );
}

/** How the runs have ended that are failures, a process that is gone among them. */
const FAILURES = ['failed', 'timed_out', 'interrupted'];
/** Runs are listed by their start: those are looked through, too, that began so long before. A run may wait for people for a week. */
const LONGEST_MS = 8 * 24 * 3_600_000;
const LOOKED_THROUGH = 50;

/** Runs that have failed since the person was last here. @param since milliseconds since 1970 */
export function Failures({ since, onSeen }: { since: number; onSeen: () => void }) {
  const begun = new Date(since - LONGEST_MS).toISOString();
  const answer = useFailures(begun, since);
  const hasFailures = (answer.data?.runs.length ?? 0) > 0;
  const words = new Date(since).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const aside = hasFailures && (
    <span class="row-of-actions">
      <a href={hrefOf({ view: 'runs', filter: { status: 'failed', since: begun } })}>All that failed</a>
      <button type="button" class="plain" onClick={onSeen}>
        Mark as seen
      </button>
    </span>
  );
  return (
    <Section title="Failed since your last visit" answer={answer} height={64} aside={aside}>
      {({ runs }) =>
        runs.length === 0 ? (
          <Empty>Nothing has failed since {words}.</Empty>
        ) : (
          <ul class="run-lines">
            {runs.map((run) => (
              <RunLine key={run.run_id} run={run} now={Date.now()} />
            ))}
          </ul>
        )
      }
    </Section>
  );
}

/** Those of each kind, the newest first. */
function useFailures(begun: string, since: number): ApiAnswer<RunList> {
  const answers = FAILURES.map((status) =>
    useAnswer<RunList>(`runs?status=${status}&since=${begun}&limit=${LOOKED_THROUGH}`, FAILED_MS),
  );
  const lists = answers.flatMap(({ data }) => data ?? []);
  const runs = lists
    .flatMap((list) => list.runs)
    .filter(({ ended_at: end }) => end === null || Date.parse(end) >= since)
    .sort((one, other) => other.started_at.localeCompare(one.started_at));
  return {
    data: lists.length < FAILURES.length ? undefined : { runs: runs.slice(0, SHOWN), next: null },
    problem: answers.find(({ problem }) => problem !== undefined)?.problem,
    again: () => answers.forEach(({ again }) => again()),
  };
}
