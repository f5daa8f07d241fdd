import type { Mail } from '../../core/records/mail.ts';
import type { Mailboxes } from '../../core/records/ports.ts';
import { MAIL } from './mail-keys.ts';
import { backOff, type BackOff } from './contention.ts';
import { fromItem } from './stored.ts';
import type { Table } from './table.ts';

/** The mailboxes of agents, who waits for mail, and the names of agents in their trees. */
export function createMailboxes(table: Table, stayAway: BackOff = backOff): Mailboxes {
  // Agents that write to others, or name them, are few.
  const sending = async () => (await import('./sending.ts')).createSending(table);
  // So are those that are written to, and those that wait.
  const changes = async () => (await import('./mail-changes.ts')).createMailChanges(table, stayAway);
  const waits = async () => (await import('./mail-waits.ts')).createMailWaits(table, stayAway);

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

    mailWaits: async (...given) => (await waits()).mailWaits(...given),
    saveMailWait: async (...given) => (await waits()).saveMailWait(...given),
    deleteMailWait: async (...given) => (await waits()).deleteMailWait(...given),

    claimName: async (...given) => (await sending()).claimName(...given),
    namedRuns: async (...given) => (await sending()).namedRuns(...given),
  };
}
