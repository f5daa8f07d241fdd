import { isUnread, type Mail } from '../../../core/records/mail.ts';
import { ConfigError } from '../../../errors.ts';
import type { Mailbox } from '../../../places/environment.ts';
import { moment } from '../terminal/figures.ts';
import { oneLine } from '../terminal/printable.ts';
import type { ChatScreen, Session } from './session.ts';
import type { SlashCommands } from './slash-command.ts';

/**
 * What people do with the messages of the agent that they talk to.
 * @param mailbox that agent's
 */
export function mailCommands(session: Session, screen: ChatScreen, mailbox: () => Mailbox): SlashCommands {
  const own = async () => (await mailbox().list()).filter(({ from }) => from !== undefined);
  return {
    'mail-check': {
      usage: '/mail-check',
      about: "the agent's inbox: what other agents wrote to it",
      run: async () => screen.tell(listed(await own())),
    },
    'mail-delete': {
      usage: '/mail-delete <id>',
      about: 'delete a message from the inbox',
      async run(id) {
        if (!(await mailbox().delete(id))) throw new ConfigError(`Message not found: ${id}`);
        screen.tell(`deleted ${id}\n`);
      },
    },
    'mail-filter': {
      usage: '/mail-filter <agent>',
      about: 'what one agent wrote to this one',
      run: async (agent) =>
        screen.tell(
          listed((await own()).filter(({ from, fromName }) => from === agent || fromName === agent)),
        ),
    },
    'mail-read': {
      usage: '/mail-read <id>',
      about: 'show a message, and mark it as read',
      async run(id) {
        const mail = await mailbox().markRead(id);
        if (mail === undefined) throw new ConfigError(`Message not found: ${id}`);
        screen.tell(`from ${mail.fromName ?? 'a person'}, ${moment(mail.sentAt)}\n${mail.body}\n`);
      },
    },
    'mail-send': {
      usage: '/mail-send <agent> <text>',
      about: 'write to another agent, which goes on with it',
      async run(words) {
        const [, agent = '', body = ''] = /^(\S+)\s+(.*)$/s.exec(words) ?? [];
        if (body.trim() === '') throw new ConfigError('Message body cannot be empty');
        const run = await session.find(agent);
        return () => session.write(run, body);
      },
    },
  };
}

function listed(mails: readonly Mail[]): string {
  if (mails.length === 0) return 'no messages\n';
  return mails
    .toReversed()
    .map(
      (mail) =>
        `${isUnread(mail) ? '●' : ' '} ${mail.id}  ${mail.fromName ?? ''}: ${oneLine(mail.body).slice(0, 50)}\n`,
    )
    .join('');
}
