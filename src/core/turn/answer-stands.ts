import { turnsSincePerson, type Mail, type MailNews } from '../records/mail.ts';
import type { Run } from '../records/run.ts';
import { isAnswer, type Turn } from '../records/turn.ts';

/** A run that is about to make a turn. */
export interface NextTurn {
  run: Run;
  turns: readonly Turn[];
  mails: readonly Mail[];
  news: MailNews;
}

/**
 * Whether an answer of a run stands even if its next turn comes to nothing: it has given one since a person last wrote
 * to it, and works on for messages of agents only.
 */
export function answerStands({ turns, mails, news }: NextTurn): boolean {
  const isForPerson = mails.some(({ id, from }) => from === undefined && news.ids.includes(id));
  return !isForPerson && turnsSincePerson(turns, mails).some(isAnswer);
}
