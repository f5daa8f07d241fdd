import { ConfigError } from '../../../errors.ts';
import { nearest } from '../../../nearest.ts';

/** A command of a chat that begins with a slash: for people alone, and never a tool of a model. */
export interface SlashCommand {
  /** As it is typed: `<word>` must follow, `[word]` may. */
  usage: string;
  about: string;
  /** @param words behind its name; "" for none @returns what it starts, if that may take long */
  run(words: string): Promise<Work | void>;
}

/** Goes on while the person types the next lines. */
export type Work = () => Promise<unknown>;

/** By name, without the slash. */
export type SlashCommands = Readonly<Record<string, SlashCommand>>;

/** @throws {ConfigError} if there is none of this name, or it lacks words */
export function findCommand(name: string, words: string, commands: SlashCommands): SlashCommand {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const meant = nearest(name, Object.keys(commands));
    const instead = meant === undefined ? 'see: /help' : `did you mean /${meant}?`;
    throw new ConfigError(`there is no /${name}; ${instead} (a line for the agent begins with a blank)`);
  }
  if (words === '' && command.usage.includes('<')) throw new ConfigError(`type: ${command.usage}`);
  return command;
}

/**
 * The lines to which a beginning can be completed: the name of a command, or of the agent that it takes.
 * @param agents the names of existing agents
 */
export async function completionsOf(
  line: string,
  commands: SlashCommands,
  agents: () => Promise<string[]>,
): Promise<string[]> {
  if (!line.startsWith('/')) return [];
  const [, start = '', name = ''] = /^(\/(\S+)\s+)\S*$/.exec(line) ?? [];
  const takesAgent = /^\S+ [<[]agent/.test(commands[name]?.usage ?? '');
  const lines = takesAgent
    ? (await agents()).map((agent) => start + agent)
    : Object.keys(commands).map((each) => `/${each}`);
  return lines.filter((each) => each.startsWith(line));
}

/** All that can be typed, line by line. */
export function helpText(commands: SlashCommands): string {
  const all = Object.values(commands);
  const width = Math.max(...all.map(({ usage }) => usage.length));
  const list = all.map(({ usage, about }) => `${usage.padEnd(width)}  ${about}\n`);
  return `${list.join('')}${ABOUT_OTHER_LINES}\n`;
}

const ABOUT_OTHER_LINES =
  'every other line is said to the agent, also while it works; Ctrl-C stops what is under way, Ctrl-D leaves';
