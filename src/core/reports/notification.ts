import type { UnansweredQuestion } from '../records/question.ts';
import { questionReport, type QuestionReport } from './question-report.ts';

/** A question that waits for a person, as people elsewhere are told of it: the JSON that a webhook gets. */
export interface Notification extends Required<
  Pick<QuestionReport, 'run_id' | 'root' | 'agent' | 'question_id' | 'question' | 'choices' | 'expires_at'>
> {
  /** `approval`: a call waits for it. `reminder`: for either kind, if its time is soon over. */
  type: 'question' | 'approval' | 'reminder';
  /** The tool whose call waits for approval; null where the agent itself asks. */
  tool: string | null;
  /** Of that call, as the model wrote them; long texts are cut. */
  arguments: Record<string, unknown> | null;
  /** Where the page shows the run; null where none is served. */
  url: string | null;
  /** Where this question alone can be answered, once, by whoever has the address; null if nothing is served. */
  answer_url: string | null;
}

/** Where people look at a question and answer it. */
export interface QuestionLinks {
  url: string;
  answerUrl: string;
}

export function notificationOf(
  open: UnansweredQuestion,
  { isReminder, links }: { isReminder: boolean; links?: QuestionLinks | undefined },
): Notification {
  const { tool, arguments: given, leads_to: _leadsTo, asked_at: _at, ...asked } = questionReport(open);
  const kind = tool === undefined ? 'question' : 'approval';
  return {
    type: isReminder ? 'reminder' : kind,
    ...asked,
    tool: tool ?? null,
    arguments: given ?? null,
    url: links?.url ?? null,
    answer_url: links?.answerUrl ?? null,
  };
}

/** Reminders come when this part of the time for an answer is left. */
const LEFT = 1 / 4;
/** Of shorter ones nobody is reminded, in milliseconds. */
const SHORTEST_WAIT_MS = 10 * 60_000;

/** When a person is reminded of a question; undefined: never. In milliseconds since 1970. */
export function reminderDue({ question, wait }: UnansweredQuestion): number | undefined {
  if (wait === undefined) return undefined;
  const asked = Date.parse(question.askedAt);
  const time = wait.until - asked;
  return time < SHORTEST_WAIT_MS ? undefined : wait.until - time * LEFT;
}
