import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { dateOf, timeOfDay } from '../shared/figures.ts';
import { waitsForPerson } from '../tree/totals.ts';
import { useOpenQuestions } from './open-questions.ts';

/** What becomes of a question that nobody answers, and when. */
export function Deadline({ until, tool }: { until: string; tool: string | undefined }) {
  const time = <time dateTime={until}>{momentOf(until)}</time>;
  return tool === undefined ? (
    <>goes on without an answer at {time}</>
  ) : (
    <>denied at {time} unless somebody answers</>
  );
}

/** The same about the first question of a run. */
export function DeadlineOf({ run }: { run: RunOverview }) {
  return waitsForPerson(run) ? <FirstDeadline run={run.run_id} /> : null;
}

function FirstDeadline({ run }: { run: string }) {
  const first = useOpenQuestions().find(
    (question) => question.run_id === run && question.expires_at !== null,
  );
  if (first === undefined || first.expires_at === null) return null;
  return (
    <span class="attention">
      {' '}
      · <Deadline until={first.expires_at} tool={first.tool} />
    </span>
  );
}

/** `10:14`, with the date on another day. */
function momentOf(at: string): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  if (isToday) return timeOfDay(at);
  return `${timeOfDay(at)} on ${dateOf(at)}`;
}
