import type { Command, Option } from 'commander';
import { openFolderMaintenance } from '../../../places/local/folder-maintenance.ts';
import { openAgentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import type { Io } from '../terminal/io.ts';

/** How many of the newest runs are offered. */
const MOST_RUNS = 20;

/**
 * `cadre complete`: what the last of the words may be, one candidate a line; nothing where the shell's own completion
 * of files is of more use.
 */
export async function complete(words: readonly string[], program: Command, io: Io): Promise<void> {
  const earlier = words.slice(0, -1);
  const begun = words.at(-1) ?? '';
  const { command, given } = commandOf(earlier, program);
  const candidates = await candidatesFor(command, given, optionOf(earlier.at(-1), command), begun, io);
  for (const each of candidates.filter((candidate) => candidate.startsWith(begun))) io.stdout(`${each}\n`);
}

/** The command that the words call so far, and how many arguments it was given. */
function commandOf(words: readonly string[], program: Command): { command: Command; given: number } {
  let command = program;
  let given = 0;
  for (const [index, word] of words.entries()) {
    if (word.startsWith('-') || optionOf(words[index - 1], command) !== undefined) continue;
    const called = command.commands.find((each) => each.name() === word);
    if (called === undefined) given += 1;
    else [command, given] = [called, 0];
  }
  return { command, given };
}

/** The option whose value follows the word. */
function optionOf(word: string | undefined, command: Command): Option | undefined {
  return command.options.find(({ long, short, required }) => required && (word === long || word === short));
}

async function candidatesFor(
  command: Command,
  given: number,
  option: Option | undefined,
  begun: string,
  io: Io,
): Promise<string[]> {
  if (option !== undefined) return option.argChoices ?? [];
  if (begun.startsWith('-'))
    return command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long }) => long ?? []);
  const { registeredArguments, commands } = command;
  if (commands.length > 0) {
    return command
      .createHelp()
      .visibleCommands(command)
      .map((each) => each.name());
  }
  // The last of them may take any number.
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[given] ?? (last?.variadic ? last : undefined);
  if (argument?.argChoices !== undefined) return argument.argChoices;
  switch (argument?.name()) {
    case 'agent':
    case 'agents':
      return openAgentFolders(io).list();
    case 'run':
      return ['last', ...(await newestRuns(io))];
    default:
      return [];
  }
}

async function newestRuns({ cwd }: Io): Promise<string[]> {
  const { records, close } = await openFolderMaintenance(cwd);
  const ids: string[] = [];
  for await (const { id } of records.roots(MOST_RUNS)) ids.push(id);
  await close();
  return ids;
}
