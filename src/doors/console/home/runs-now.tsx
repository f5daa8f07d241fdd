import type { RunList } from '../../api/answers.ts';
import { useAnswer } from '../client/use-answer.ts';
import { hrefOf } from '../route.ts';
import { Empty } from '../shared/empty.tsx';
import { useNow } from '../shared/use-now.ts';
import { useOpenQuestions } from '../steering/open-questions.ts';
import { RunLine } from './run-line.tsx';
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
          <ul class="home-list">
            {runs.map((run) => (
              <RunLine key={run.run_id} run={run} now={now} isAsking={asking.has(run.run_id)} />
            ))}
          </ul>
        )
      }
    </Section>
  );
}

/** Runs that have failed since the person was last here. @param since milliseconds since 1970 */
export function Failures({ since, onSeen }: { since: number; onSeen: () => void }) {
  const filter = { status: 'failed', since: new Date(since).toISOString() };
  const path = `runs?${new URLSearchParams({ ...filter, limit: String(SHOWN) }).toString()}`;
  const answer = useAnswer<RunList>(path, FAILED_MS);
  const hasFailures = (answer.data?.runs.length ?? 0) > 0;
  const words = new Date(since).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const aside = hasFailures && (
    <span class="row-of-actions">
      <a href={hrefOf({ view: 'runs', filter })}>All of them</a>
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
          <ul class="home-list">
            {runs.map((run) => (
              <RunLine key={run.run_id} run={run} now={Date.now()} />
            ))}
          </ul>
        )
      }
    </Section>
  );
}
