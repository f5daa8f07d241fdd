import { callName } from '../../core/records/call.ts';
import type { Mail, MailWait } from '../../core/records/mail.ts';
import type { Mailboxes } from '../../core/records/ports.ts';
import { treeKey } from '../../core/records/run-id.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { MAX_ATTEMPTS } from './contention.ts';
import { fromItem, fromStored, toStored } from './stored.ts';
import { replace } from './replace.ts';
import type { Item, Key, Table } from './table.ts';
import { defined } from '../../defined.ts';

export const MAIL = 'mail#';

/** An id is a time as a number to base 36; two messages at the same moment differ in the random rest. */
export const TIME_CHARACTERS = 9;
export const RANDOM_CHARACTERS = 8;

/** The mailboxes of agents, who waits for mail, and the names of agents in their trees. */
export function createMailboxes(table: Table): Mailboxes {
  // Agents that write to others, or name them, are few.
  const sending = async () => (await import('./sending.ts')).createSending(table);
  const toMail = (item: Item) => fromItem<Mail>(item);

  async function change(run: string, id: string, to: (mail: Mail) => Mail): Promise<Mail | undefined> {
    if (!MAIL_ID.test(id)) return undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const item = await table.get(mailKey(run, id));
      const mail = item && toMail(item);
      if (item === undefined || mail === undefined || mail.isDeleted) return undefined;
      const after = to(mail);
      if (after === mail) return mail;
      if ((await table.putIfVersion(item.key, toStored(after), item.version)) !== undefined) return after;
    }
    throw new StoreUnavailableError(`message "${id}" of run "${run}" changes too often; try again`);
  }

  return {
    async mails(run) {
      const mails: Mail[] = [];
      for await (const item of table.query(`run#${run}`, MAIL)) mails.push(toMail(item));
      return mails.filter(({ isDeleted }) => !isDeleted);
    },
    saveMail: async (...given) => (await sending()).saveMail(...given),
    sentMail: async (...given) => (await sending()).sentMail(...given),
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

    async mailWaits(run) {
      const waits: MailWait[] = [];
      for await (const item of table.query(`tree#${treeKey(run)}`, 'await#')) {
        waits.push(fromItem<MailWait>(item));
      }
      return waits.filter(({ token }) => token !== '');
    },
    saveMailWait: (wait) =>
      replace(
        table,
        waitKey(wait),
        toStored(wait),
        `who waits for mail in run "${wait.run}" changes too often; try again`,
      ),
    // Functions may write and not remove. A slow one leaves the next wait alone.
    async deleteMailWait(wait) {
      const item = await table.get(waitKey(wait));
      if (item === undefined || fromStored<MailWait>(item.value, item.key.sort).token !== wait.token) return;
      await table.putIfVersion(item.key, toStored({ run: wait.run, token: '', until: 0 }), item.version);
    },

    claimName: async (...given) => (await sending()).claimName(...given),
    namedRuns: async (...given) => (await sending()).namedRuns(...given),
  };
}

/** A model may make up any id, but no key may be longer than the table takes. */
const MAIL_ID = new RegExp(`^[0-9a-z]{${TIME_CHARACTERS + RANDOM_CHARACTERS}}$`);

export function mailKey(run: string, id: string): Key {
  return { partition: `run#${run}`, sort: `${MAIL}${id}` };
}

function waitKey({ run, at }: Pick<MailWait, 'run' | 'at'>): Key {
  const what = at === undefined ? 'idle' : callName(at);
  return { partition: `tree#${treeKey(run)}`, sort: `await#${run}#${what}` };
}
