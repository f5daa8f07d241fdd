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
  // Noted first: no process looks into the mailbox of an agent without the note.
  const noted = await store.updateRun(to.id, (run) => (run.hasMail ? run : { ...run, hasMail: true }), to);
  if (noted?.isForPerson && mail.from !== undefined && !tellsOfEnd(mail)) {
    // Another agent counts on its answer as well now. One that repeats its message may have had that already.
    const sent = key === undefined ? undefined : await store.sentMail(to.id, key);
    if (sent === undefined) await store.updateRun(to.id, ({ isForPerson: _was, ...run }) => run, noted);
  }
  return store.saveMail(to.id, mail, key);
}
