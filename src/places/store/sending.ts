import { randomInt } from 'node:crypto';
import type { Mail } from '../../core/records/mail.ts';
import type { Mailboxes } from '../../core/records/ports.ts';
import { treeKey } from '../../core/records/run-id.ts';
import { MAIL, mailKey, RANDOM_CHARACTERS, TIME_CHARACTERS } from './mail-keys.ts';
import { fromItem, fromStored, toStored } from './stored.ts';
import type { Item, Key, Table } from './table.ts';

/** What writing needs of the store of mailboxes, and the names by which agents write to each other. */
export function createSending(
  table: Table,
): Pick<Mailboxes, 'claimName' | 'namedRuns' | 'saveMail' | 'sentMail'> {
  const toMail = (item: Item) => fromItem<Mail>(item);

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

function sentKey(to: string, key: string): Key {
  return { partition: `run#${to}`, sort: `sent#${key}` };
}
