import { reminderDue } from '../../core/reports/notification.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { UnansweredQuestion } from '../../core/records/question.ts';

/** The open questions whose time for an answer is almost over. @param now in milliseconds since 1970 */
export async function questionsToRemindOf(
  store: Pick<RunStore, 'openQuestions'>,
  now: number,
): Promise<UnansweredQuestion[]> {
  const due: UnansweredQuestion[] = [];
  for await (const open of store.openQuestions()) {
    const at = reminderDue(open);
    if (at !== undefined && at <= now && now < (open.wait?.until ?? 0)) due.push(open);
  }
  return due;
}
