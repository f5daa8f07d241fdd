import { randomInt } from 'node:crypto';
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

const MAIL = 'mail#';

/** The mailboxes of agents, who waits for mail, and the names of agents in their trees. */
export function createMailboxes(table: Table): Mailboxes {
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

  /**
   * Ids sort in the order in which a sender's messages were written, whether within one millisecond or by machines
   * whose clocks differ.
   */
  async function newMailId(to: string, now: number): Promise<string> {
    let time = now;
    for await (const { key } of table.query(`run#${to}`, MAIL, { reverse: true, limit: 1 })) {
      const newest = key.sort.slice(MAIL.length, MAIL.length + TIME_CHARACTERS);
      time = Math.max(now, Number.parseInt(newest, 36) + 1);
    }
    let id = time.toString(36).padStart(TIME_CHARACTERS, '0');
    for (let count = 0; count < RANDOM_CHARACTERS; count++) id += randomInt(36).toString(36);
    return id;
  }

  return {
    async mails(run) {
      const mails: Mail[] = [];
      for await (const item of table.query(`run#${run}`, MAIL)) mails.push(toMail(item));
      return mails.filter(({ isDeleted }) => !isDeleted);
    },
    async saveMail(to, mail, key) {
      const id = await newMailId(to, Date.parse(mail.sentAt));
      // A repetition gets the id of the first time, and so writes no second message.
      const known = key === undefined ? undefined : await table.putIfAbsent(sentKey(to, key), { id });
      const kept = known === undefined ? id : fromStored<Pick<Mail, 'id'>>(known.item.value, key ?? '').id;
      const { item } = await table.putIfAbsent(mailKey(to, kept), toStored({ ...mail, id: kept }));
      return toMail(item);
    },
    async sentMail(to, key) {
      const sent = await table.get(sentKey(to, key));
      const id = sent && fromStored<Pick<Mail, 'id'>>(sent.value, key).id;
      const item = id && (await table.get(mailKey(to, id)));
      return item ? toMail(item) : undefined;
    },
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

    async claimName({ id: run, path }, wanted) {
      for (let number = 1; ; number++) {
        const name = number === 1 ? wanted : `${wanted}-${number}`;
        const key = { partition: `tree#${treeKey(run)}`, sort: `name#${name.toLowerCase()}` };
        const { item } = await table.putIfAbsent(key, { run, path });
        if (fromStored<{ run: string }>(item.value, key.sort).run === run) return name;
      }
    },
    async namedRuns(run) {
      const named: { id: string; path: string }[] = [];
      for await (const { key, value } of table.query(`tree#${treeKey(run)}`, 'name#')) {
        const { run: id, path } = fromStored<{ run: string; path: string }>(value, key.sort);
        named.push({ id, path });
      }
      return named;
    },
  };
}

/** As a number to base 36; two messages at the same moment differ in the random rest. */
const TIME_CHARACTERS = 9;
const RANDOM_CHARACTERS = 8;
/** A model may make up any id, but no key may be longer than the table takes. */
const MAIL_ID = new RegExp(`^[0-9a-z]{${TIME_CHARACTERS + RANDOM_CHARACTERS}}$`);

function mailKey(run: string, id: string): Key {
  return { partition: `run#${run}`, sort: `${MAIL}${id}` };
}

function sentKey(to: string, key: string): Key {
  return { partition: `run#${to}`, sort: `sent#${key}` };
}

function waitKey({ run, at }: Pick<MailWait, 'run' | 'at'>): Key {
  const what = at === undefined ? 'idle' : callName(at);
  return { partition: `tree#${treeKey(run)}`, sort: `await#${run}#${what}` };
}
