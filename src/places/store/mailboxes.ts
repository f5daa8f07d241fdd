import { callName } from '../../core/records/call.ts';
import type { Mail, MailWait } from '../../core/records/mail.ts';
import type { Mailboxes } from '../../core/records/ports.ts';
import { treeKey } from '../../core/records/run-id.ts';
import { MAIL } from './mail-keys.ts';
import { replace } from './replace.ts';
import { fromItem, fromStored, toStored } from './stored.ts';
import type { Key, Table } from './table.ts';

/** The mailboxes of agents, who waits for mail, and the names of agents in their trees. */
export function createMailboxes(table: Table): Mailboxes {
  // Agents that write to others, or name them, are few.
  const sending = async () => (await import('./sending.ts')).createSending(table);
  // So are those that are written to.
  const changes = async () => (await import('./mail-changes.ts')).createMailChanges(table);

  return {
    async mails(run) {
      const mails: Mail[] = [];
      for await (const item of table.query(`run#${run}`, MAIL)) mails.push(fromItem<Mail>(item));
      return mails.filter(({ isDeleted }) => !isDeleted);
    },
    saveMail: async (...given) => (await sending()).saveMail(...given),
    sentMail: async (...given) => (await sending()).sentMail(...given),
    markRead: async (...given) => (await changes()).markRead(...given),
    markPassedOver: async (...given) => (await changes()).markPassedOver(...given),
    takeMail: async (...given) => (await changes()).takeMail(...given),
    endCapture: async (...given) => (await changes()).endCapture(...given),
    deleteMail: async (...given) => (await changes()).deleteMail(...given),

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

function waitKey({ run, at }: Pick<MailWait, 'run' | 'at'>): Key {
  const what = at === undefined ? 'idle' : callName(at);
  return { partition: `tree#${treeKey(run)}`, sort: `await#${run}#${what}` };
}
