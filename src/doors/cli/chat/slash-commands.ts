import type { Instant } from '../../../core/records/times.ts';
import { ConfigError } from '../../../errors.ts';
import type { Environment, Mailbox } from '../../../places/environment.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../core/lifecycle/persons-message.ts';
import { capturesIn, isUnread, type Mail } from '../../../core/records/mail.ts';
import { shownTree } from '../../../core/reports/shown-tree.ts';
import { nameOf, type Run } from '../../../core/records/run.ts';
import { treeText } from '../terminal/tree-text.ts';
import { nearest } from '../../../nearest.ts';
import { moment } from '../terminal/figures.ts';
import { oneLine } from '../terminal/printable.ts';
import type { ChatScreen, Partner, Session } from './session.ts';

// Commands that begin with a slash are for people alone, and never tools of a model.

export interface SlashPorts {
  /** The agent that the first message goes to. */
  agent: string;
  session: Session;
  environment: Environment;
  screen: ChatScreen;
  now: () => Instant;
}

/** The input of a chat, line by line. */
export interface Chat {
  /** Shows what was captured in an earlier chat and was not forked: the person goes on capturing. */
  resume(): Promise<void>;
  /** @returns false at the end of the chat */
  line(text: string): Promise<boolean>;
  /** The text in front of the line that is typed. */
  prompt(): string;
  /** The lines that the beginning of one can be completed to. */
  completions(line: string): Promise<string[]>;
}

interface SlashCommand {
  usage: string;
  about: string;
  run(words: string): Promise<void>;
}

export function createChat({ agent, session, environment, screen, now }: SlashPorts): Chat {
  const { records } = environment;
  /** The text typed between /capture and /fork, with the run in whose mailbox it is kept; undefined: none is captured. */
  let captured: { run: string; mail: Mail }[] | undefined;
  let isOver = false;

  const here = (): Partner => {
    const run = session.current();
    if (run === undefined) throw new ConfigError('say something first: there is no agent yet');
    return run;
  };

  const mailbox = () => environment.mailbox(here().id);

  async function recordOf({ id }: Partner): Promise<Run> {
    const run = await records.run(id);
    if (run === undefined) throw new ConfigError(`run "${id}" has not begun yet; try again`);
    return run;
  }

  async function capture(text: string): Promise<void> {
    const length = [...typed(), text].join('\n').length;
    if (length > MAX_MESSAGE_CHARACTERS) {
      throw new ConfigError(
        `this line is not kept: it would make what is captured ${length} characters long, and a fork reads at most ${MAX_MESSAGE_CHARACTERS}`,
      );
    }
    const { id: run } = here();
    const mail = await environment.mailbox(run).capture(text);
    captured?.push({ run, mail });
  }

  const typed = () => (captured ?? []).map(({ mail }) => mail.body);

  async function fork(): Promise<void> {
    const task = typed().join('\n');
    const child = await environment.fork(await recordOf(here()));
    for (const { run, mail } of captured ?? []) {
      await environment.mailbox(run).endCapture(mail.id, child.id);
    }
    captured = undefined;
    session.turnTo(child);
    screen.tell(`you talk to ${nameOf(child)} now (${child.id})\n`);
    if (task.trim() !== '') await session.say(task);
  }

  async function kill(agent: string): Promise<void> {
    const run = agent === '' ? await recordOf(here()) : await session.find(agent);
    await session.kill(run);
  }

  const commands: Record<string, SlashCommand> = {
    agents: {
      usage: '/agents',
      about: 'the agents of this conversation',
      async run() {
        const top = (await session.tree()).find(({ parent }) => parent === undefined);
        const tree = top === undefined ? [] : await shownTree(top, records);
        screen.tell(`${treeText(tree, { now: now(), width: screen.width?.(), ids: true }).join('\n')}\n`);
      },
    },
    cancel: {
      usage: '/cancel',
      about: 'forget what was typed since /capture',
      async run() {
        if (captured === undefined) throw new ConfigError('nothing is being captured');
        for (const { run, mail } of captured) await environment.mailbox(run).endCapture(mail.id);
        captured = undefined;
      },
    },
    capture: {
      usage: '/capture',
      about: 'keep what you type for a fork, out of sight of the agent',
      async run() {
        here();
        captured ??= [];
        screen.tell(`what you type now is for a fork: ${TO_GO_ON}\n`);
      },
    },
    exit: {
      usage: '/exit',
      about: 'leave; go on later with: cadre chat <agent> <run>',
      async run() {
        isOver = true;
      },
    },
    fork: {
      usage: '/fork',
      about: 'a copy of the agent that knows all of this, with what was captured as its task',
      run: fork,
    },
    help: {
      usage: '/help',
      about: 'this list',
      async run() {
        const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length));
        const list = Object.values(commands).map(({ usage, about }) => `${usage.padEnd(width)}  ${about}\n`);
        screen.tell(`${list.join('')}${ABOUT_OTHER_LINES}\n`);
      },
    },
    kill: { usage: '/kill [agent]', about: 'end an agent and all below it, for good', run: kill },
    ...mailCommands({ session, screen, mailbox }),
    switch: {
      usage: '/switch <agent>',
      about: 'talk to another agent',
      async run(agent) {
        const run = await session.find(agent);
        session.turnTo(run);
        screen.tell(`you talk to ${nameOf(run)} now\n`);
      },
    },
  };

  /** @throws {ConfigError} if there is none of this name, or it lacks words */
  function commandOf(name: string, words: string): SlashCommand {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) {
      const meant = nearest(name, Object.keys(commands));
      const instead = meant === undefined ? 'see: /help' : `did you mean /${meant}?`;
      throw new ConfigError(`there is no /${name}; ${instead} (a line for the agent begins with a blank)`);
    }
    if (words === '' && command.usage.includes('<')) throw new ConfigError(`type: ${command.usage}`);
    return command;
  }

  return {
    async resume() {
      const run = session.current()?.id;
      if (run === undefined) return;
      const kept = capturesIn(await environment.mailbox(run).list()).filter(
        ({ captureEnd }) => captureEnd === undefined,
      );
      if (kept.length === 0) return;
      captured = kept.map((mail) => ({ run, mail }));
      const lines = typed().flatMap((text) => text.split('\n'));
      screen.tell(
        `captured for a fork, as is what you type now: ${TO_GO_ON}\n${lines.map((line) => `  ${line}\n`).join('')}`,
      );
    },
    async line(text) {
      const [, name, words = ''] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? [];
      try {
        if (name !== undefined) {
          await commandOf(name, words.trim()).run(words.trim());
        } else if (captured !== undefined) await capture(text);
        else if (text.trim() !== '') await session.say(text);
      } catch (thrown) {
        if (!(thrown instanceof ConfigError)) throw thrown;
        screen.tell(`Error: ${thrown.message}\n`);
      }
      return !isOver;
    },
    prompt() {
      const run = session.current();
      const who = run === undefined ? agent : nameOf(run);
      return captured === undefined ? `${who}> ` : `${who} (capture)> `;
    },
    async completions(line) {
      if (!line.startsWith('/')) return [];
      const [, start, typed] = /^(\/(?:kill|switch|mail-send|mail-filter)\s+)(\S*)$/.exec(line) ?? [];
      if (start !== undefined && typed !== undefined) {
        const names = (await session.tree()).map(nameOf);
        return names.filter((name) => name.startsWith(typed)).map((name) => start + name);
      }
      return Object.keys(commands)
        .map((name) => `/${name}`)
        .filter((name) => name.startsWith(line));
    },
  };
}

const TO_GO_ON = '/fork starts it, /cancel forgets it';

/** What people do with the messages of the agent that they talk to. */
function mailCommands({
  session,
  screen,
  mailbox,
}: Pick<SlashPorts, 'screen' | 'session'> & { mailbox: () => Mailbox }): Record<string, SlashCommand> {
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
        await session.write(await session.find(agent), body);
      },
    },
  };
}

const ABOUT_OTHER_LINES =
  'every other line is said to the agent, also while it works; Ctrl-C stops what is under way, Ctrl-D leaves';

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
