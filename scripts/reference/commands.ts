import { tmpdir } from 'node:os';
import { runCommandLine } from '../../src/doors/cli/command-line.ts';
import type { RunIo } from '../../src/doors/cli/terminal/io.ts';
import { page } from './page.ts';

/** docs/reference/commands.md: what `--help` says of each command. */
export async function commandsPage(): Promise<string> {
  return page(
    'Options of commands',
    'src/doors/cli/usage/',
    'What `cadre <command> --help` prints. [Commands](../commands.md) says what each is for, and has the exit codes.',
    ...(await sections([])),
  );
}

/** The sections of a command and of those below it. */
async function sections(words: readonly string[]): Promise<string[]> {
  const help = await helpOf(words);
  const [, list = ''] = help.split('\nCommands:\n');
  const below = [...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = '']) => name);
  const own = [`## \`${['cadre', ...words].join(' ')}\``, `\`\`\`text\n${help.trim()}\n\`\`\``];
  const others = below.filter((name) => name !== 'help').map((name) => sections([...words, name]));
  return [...own, ...(await Promise.all(others)).flat()];
}

async function helpOf(words: readonly string[]): Promise<string> {
  let help = '';
  const io: RunIo = {
    stdout: (text) => void (help += text),
    answer: () => {},
    stderr: () => {},
    env: {},
    cwd: tmpdir(),
    readStdin: () => Promise.resolve(''),
    async *lines() {},
    interrupted: new AbortController().signal,
    unread: new AbortController().signal,
    interrupt: () => {},
  };
  await runCommandLine([...words, '--help'], io);
  return help;
}
