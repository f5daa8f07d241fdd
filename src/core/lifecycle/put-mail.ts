import { tellsOfEnd, type Mail } from '../records/mail.ts';
import type { RunStore } from '../records/ports.ts';
import type { Run } from '../records/run.ts';

/** A message that was written, and not sent yet. */
export interface Letter {
  /** As it was read last. */
  to: Run;
  mail: Omit<Mail, 'id'>;
  /** Identifies the message for its sender, who may send it again. */
  key: string;
}

/**
 * Puts a message into the mailbox of an agent without waking it.
 * @param to its record, as last read
 * @param key identifies the message for its sender, who may repeat this
 * @returns the stored message
 */
export async function putMail(
  to: Run,
  mail: Omit<Mail, 'id'>,
  key: string | undefined,
  store: RunStore,
): Promise<Mail> {
  const countsOnAnswer = mail.from !== undefined && !tellsOfEnd(mail);
  // Noted first: no process looks into the mailbox of an agent without the note.
  await store.updateRun(to.id, (run) => withMail(run, countsOnAnswer), to);
  return store.saveMail(to.id, mail, key);
}

/** @param countsOnAnswer whether another agent wrote, and counts on an answer */
function withMail(run: Run, countsOnAnswer: boolean): Run {
  if (run.hasMail && !(countsOnAnswer && run.isForPerson)) return run;
  const { isForPerson, ...others } = run;
  return { ...others, hasMail: true, ...(isForPerson && !countsOnAnswer && { isForPerson }) };
}
