import { headOf, isUnread, MAX_MAIL_CHARACTERS, type Mail } from '../../core/records/mail.ts';
import { anyText, RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { agentTool } from './agent-tool.ts';

/** The characters of each message that a list shows. */
const PREVIEW_CHARACTERS = 50;
const MAX_LISTED = 100;

const ID = { type: 'string', description: 'Id of the message, as mail_check lists it' } as const;

/** The mailbox of an agent: what other agents of its tree write to it, and it to them. */
export const MAIL_TOOLS = [
  agentTool({
    name: 'mail_check',
    description: 'List the messages in your inbox: unread ones first, the newest first.',
    parameters: {},
    writes: false,
    run: async (_, agents) => toList(await agents.mails()),
  }),
  agentTool({
    name: 'mail_delete',
    description: 'Delete a message from your inbox.',
    parameters: { id: ID },
    writes: true,
    async run({ id }, agents) {
      const wanted = anyText(id).trim();
      if (!(await agents.deleteMail(wanted))) throw notFound(wanted);
      return { deleted: wanted };
    },
  }),
  agentTool({
    name: 'mail_filter',
    description: 'List the messages in your inbox that one agent wrote: unread ones first, the newest first.',
    parameters: { from: { type: 'string', description: 'Uuid or name of the agent' } },
    writes: false,
    async run({ from }, agents) {
      const wanted = anyText(from).trim();
      const mails = await agents.mails();
      return toList(mails.filter((mail) => mail.from === wanted || mail.fromName === wanted));
    },
  }),
  agentTool({
    name: 'mail_read',
    description: 'Read a message in your inbox.',
    parameters: { id: ID },
    writes: false,
    async run({ id }, agents) {
      const wanted = anyText(id).trim();
      const mail = await agents.readMail(wanted);
      if (mail === undefined) throw notFound(wanted);
      return { ...headOf(mail), body: mail.body };
    },
  }),
  agentTool({
    name: 'mail_send',
    description: 'Write a message to another agent. If it is idle, it goes on to read it.',
    parameters: {
      to: { type: 'string', description: 'Uuid of the agent' },
      body: { type: 'string', description: 'The message' },
    },
    writes: true,
    async run({ to, body }, agents) {
      const text = anyText(body);
      if (text.trim() === '') throw new RefusedCall('Message body cannot be empty');
      if (text.length > MAX_MAIL_CHARACTERS) {
        throw new RefusedCall(
          `Message body has ${text.length} characters, at most ${MAX_MAIL_CHARACTERS} are allowed`,
        );
      }
      return { sent: (await agents.sendMail(anyText(to).trim(), text)).id };
    },
  }),
];

function toList(mails: readonly Mail[]) {
  const newestFirst = mails.toReversed();
  const ordered = [...newestFirst.filter(isUnread), ...newestFirst.filter((mail) => !isUnread(mail))];
  const messages = ordered.slice(0, MAX_LISTED).map((mail) => ({
    ...headOf(mail),
    unread: isUnread(mail),
    preview: mail.body.slice(0, PREVIEW_CHARACTERS).toWellFormed(),
  }));
  const left = ordered.length - messages.length;
  return { messages, ...(left > 0 && { left_out: left }) };
}

function notFound(id: string): RefusedCall {
  return new RefusedCall(`Message not found: ${id}`);
}
