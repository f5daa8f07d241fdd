import type { Instant } from '../../../core/records/times.ts';
import { ConfigError } from '../../../errors.ts';
import type { Environment } from '../../../places/environment.ts';
import type { GivenInput } from '../../../places/given-input.ts';
import { shownTree } from '../../../core/reports/shown-tree.ts';
import { nameOf, type Run } from '../../../core/records/run.ts';
import { treeText } from '../terminal/tree-text.ts';
import { createCaptured } from './captured.ts';
import { mailCommands } from './mail-commands.ts';
import type { ChatScreen, Partner, Session } from './session.ts';
import { completionsOf, findCommand, helpText, type SlashCommands, type Work } from './slash-command.ts';

export interface ChatPorts {
  /** The agent that the first message goes to. */
  agent: string;
  session: Session;
  environment: Environment;
  screen: ChatScreen;
  now: () => Instant;
  /** Reads a file that a person attaches. @throws {ConfigError} for one that cannot be */
  read(path: string): Promise<GivenInput>;
}

/** The input of a chat, line by line. */
export interface Chat {
  /** Shows text that was captured in an earlier chat and not forked: the person continues capturing. */
  resume(): Promise<void>;
  /**
   * A line begins once the immediate effects of the line before, such as talking to another agent, have taken place.
   * @returns false at the end of the chat, once everything that the line started is over
   */
  line(text: string): Promise<boolean>;
  /** Waits until every line has begun. */
  begun(): Promise<unknown>;
  /** The text in front of the line that is typed. */
  prompt(): string;
  /** The lines that the beginning of one can be completed to. */
  completions(line: string): Promise<string[]>;
}

export function createChat({ agent, session, environment, screen, now, read }: ChatPorts): Chat {
  const { records } = environment;
  const captured = createCaptured(environment);
  /** What goes with the next line that is said. */
  let given: readonly GivenInput[] = [];
  let isOver = false;
  /** The beginning of the line before. */
  let earlier: Promise<unknown> = Promise.resolve();

  const here = (): Partner => {
    const run = session.current();
    if (run === undefined) throw new ConfigError('say something first: there is no agent yet');
    return run;
  };

  async function recordOf({ id }: Partner): Promise<Run> {
    const run = await records.run(id);
    if (run === undefined) throw new ConfigError(`run "${id}" has not begun yet; try again`);
    return run;
  }

  async function fork(): Promise<Work | undefined> {
    const task = captured.text();
    const child = await environment.fork(await recordOf(here()));
    await captured.end(child.id);
    session.turnTo(child);
    screen.tell(`you talk to ${nameOf(child)} now (${child.id})\n`);
    return task.trim() === '' ? undefined : () => session.say(task);
  }

  function say(text: string): Work {
    const files = given.flatMap((one) => one.files);
    const texts = given.flatMap((one) => one.texts);
    given = [];
    return () => session.say(text, { files, texts });
  }

  async function kill(agent: string): Promise<void> {
    const run = agent === '' ? await recordOf(here()) : await session.find(agent);
    await session.kill(run);
  }

  async function begin(line: string): Promise<Work | void> {
    const [, name, words = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
    if (name !== undefined) return findCommand(name, words.trim(), commands).run(words.trim());
    if (captured.isGoingOn()) return captured.add(here().id, line);
    return line.trim() === '' ? undefined : say(line);
  }

  const commands: SlashCommands = {
    agents: {
      usage: '/agents',
      about: 'the agents of this conversation',
      async run() {
        const top = (await session.tree()).find(({ parent }) => parent === undefined);
        const tree = top === undefined ? [] : await shownTree(top, records);
        screen.tell(`${treeText(tree, { now: now(), width: screen.width?.(), ids: true }).join('\n')}\n`);
      },
    },
    attach: {
      usage: '/attach <file>',
      about: 'an image, a PDF or a text that goes with what you say next',
      async run(path) {
        given = [...given, await read(path)];
        screen.tell(`attached to what you say next: ${path}\n`);
      },
    },
    cancel: {
      usage: '/cancel',
      about: 'forget what was typed since /capture',
      async run() {
        if (!captured.isGoingOn()) throw new ConfigError('nothing is being captured; begin with /capture');
        await captured.end();
      },
    },
    capture: {
      usage: '/capture',
      about: 'keep what you type for a fork, out of sight of the agent',
      async run() {
        here();
        captured.begin();
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
      run: async () => screen.tell(helpText(commands)),
    },
    kill: { usage: '/kill [agent]', about: 'end an agent and all below it, for good', run: kill },
    ...mailCommands(session, screen, () => environment.mailbox(here().id)),
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

  return {
    async resume() {
      const run = session.current()?.id;
      if (run === undefined) return;
      await captured.resume(run);
      if (!captured.isGoingOn()) return;
      const lines = captured.text().split('\n');
      screen.tell(
        `captured for a fork, as is what you type now: ${TO_GO_ON}\n${lines.map((line) => `  ${line}\n`).join('')}`,
      );
    },
    async line(text) {
      const begun = earlier.then(() => begin(text));
      earlier = begun.catch(() => {});
      try {
        const work = await begun;
        await work?.();
      } catch (thrown) {
        if (!(thrown instanceof ConfigError)) throw thrown;
        screen.tell(`Error: ${thrown.message}\n`);
      }
      return !isOver;
    },
    begun: () => earlier,
    prompt() {
      const run = session.current();
      const who = run === undefined ? agent : nameOf(run);
      return captured.isGoingOn() ? `${who} (capture)> ` : `${who}> `;
    },
    completions: (line) => completionsOf(line, commands, async () => (await session.tree()).map(nameOf)),
  };
}

const TO_GO_ON = '/fork starts it, /cancel forgets it';
