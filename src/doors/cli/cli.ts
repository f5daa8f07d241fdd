import { Command } from 'commander';
import project from '../../../package.json' with { type: 'json' };
import { nearest } from '../../nearest.ts';
import { shellWord } from '../../shell-word.ts';
import type { RunIo } from './terminal/io.ts';

/** The parts from which a command is defined. */
export interface Cli {
  program: Command;
  /** Adds a command to the program: what it is called, what it takes, and what help says of it. */
  command: (definition: string, description: string) => Command;
  io: RunIo;
  /** The version that `cadre version` prints. */
  version: string;
}

/** The program without its commands. */
export function createCli(io: RunIo): Cli {
  const version = `cadre ${project.version}`;
  const program = new Command('cadre')
    .description('Agents that delegate to agents, as AWS Step Functions executions')
    .exitOverride()
    .configureOutput({
      writeOut: io.stdout,
      writeErr: io.stderr,
      // As all other errors begin.
      outputError: (text, write) => write(text.replace(/^error:/, 'Error:')),
    })
    .version(version, '--version', 'print the version')
    .hook('preAction', (_, command) => {
      refuseFiles(command);
      if (command.optsWithGlobals()['trust'] === true) io.env = { ...io.env, CADRE_TRUST: '1' };
    })
    .addHelpText('beforeAll', ({ command }) => refuseUnknown(command));
  const command = (definition: string, description: string) =>
    program.command(definition).description(description);
  return { program, command, io, version };
}

/** Agents go by their names, and shells complete the paths of their files. */
function refuseFiles(command: Command): void {
  const [first] = command.registeredArguments;
  const named = command.args.flatMap((word) => /([^/]+)\.toml$/.exec(word)?.[1] ?? []);
  if (!/^agents?$/.test(first?.name() ?? '') || named.length === 0) return;
  const words = [command.name(), ...named.map(shellWord)];
  for (let above = command.parent; above !== null; above = above.parent) words.unshift(above.name());
  command.error(`Error: agents go by their names, not by their files; did you mean: ${words.join(' ')}?`);
}

/** Has the errors of a command, and of those below it, name its own help. */
export function pointToHelp(command: Command, words: readonly string[] = [command.name()]): void {
  command.showHelpAfterError(`(see: ${words.join(' ')} --help)`);
  for (const below of command.commands) pointToHelp(below, [...words, below.name()]);
}

/** Help that is asked for a command which there is not is no help on the others. */
function refuseUnknown(group: Command): string {
  const [word] = group.args.filter((arg) => arg !== 'help');
  if (group.commands.length === 0 || word === undefined || word.startsWith('-')) return '';
  const meant = nearest(
    word,
    group.commands.map((each) => each.name()),
  );
  return group.error(
    `Error: unknown command '${word}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`,
  );
}
