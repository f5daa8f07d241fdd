import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { timeOfDay } from '../shared/figures.ts';
import { waitsForPerson } from '../tree/totals.ts';
import { useOpenQuestions, type QuestionItem } from './open-questions.ts';

/** What becomes of a question that nobody answers, and when; nothing where the time for an answer does not pass. */
export function Deadline({ question }: { question: Pick<QuestionItem, 'expires_at' | 'tool'> | undefined }) {
  const { expires_at: until = null, tool } = question ?? {};
  if (until === null) return null;
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
  if (first === undefined) return null;
  return (
    <span class="attention">
      {' '}
      · <Deadline question={first} />
    </span>
  );
}

/** `10:14`, with the date on another day. */
function momentOf(at: string): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  if (isToday) return timeOfDay(at);
  return `${timeOfDay(at)} on ${new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })}`;
}
