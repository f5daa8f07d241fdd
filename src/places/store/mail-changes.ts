import type { Mail } from '../../core/records/mail.ts';
import type { Mailboxes } from '../../core/records/ports.ts';
import { defined } from '../../defined.ts';
import { changeItem } from './change-item.ts';
import type { BackOff } from './contention.ts';
import { mailKey, RANDOM_CHARACTERS, TIME_CHARACTERS } from './mail-keys.ts';
import type { Table } from './table.ts';

/** What becomes of messages once they are there. */
export function createMailChanges(
  table: Table,
  stayAway: BackOff,
): Pick<Mailboxes, 'deleteMail' | 'endCapture' | 'markPassedOver' | 'markRead' | 'takeMail'> {
  async function change(run: string, id: string, to: (mail: Mail) => Mail): Promise<Mail | undefined> {
    if (!MAIL_ID.test(id)) return undefined;
    const tooOften = `message "${id}" of run "${run}" changes too often; try again`;
    const toOther = (mail: Mail | undefined) => (mail === undefined || mail.isDeleted ? mail : to(mail));
    const after = await changeItem(table, mailKey(run, id), toOther, { stayAway, tooOften });
    return after?.isDeleted ? undefined : after;
  }

  return {
    markRead: (run, id) => change(run, id, (mail) => (mail.isRead ? mail : { ...mail, isRead: true })),
    markPassedOver: (run, id) =>
      change(run, id, (mail) => (mail.isPassedOver ? mail : { ...mail, isPassedOver: true })),
    async takeMail(run, id, by) {
      const take = (mail: Mail): Mail => (mail.isRead ? mail : { ...mail, isRead: true, takenBy: by });
      return (await change(run, id, take))?.takenBy === by;
    },
    async endCapture(run, id, fork) {
      const captureEnd = defined({ fork });
      await change(run, id, (mail) => (mail.captureEnd === undefined ? { ...mail, captureEnd } : mail));
    },
    async deleteMail(run, id) {
      if (!MAIL_ID.test(id)) return false;
      await change(run, id, ({ sentAt }) => ({ id, body: '', sentAt, isDeleted: true }));
      // A repetition is answered as before.
      return (await table.get(mailKey(run, id))) !== undefined;
    },
  };
}

/** A model may make up any id, but no key may be longer than the table takes. */
const MAIL_ID = new RegExp(`^[0-9a-z]{${TIME_CHARACTERS + RANDOM_CHARACTERS}}$`);
