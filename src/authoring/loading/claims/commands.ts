import { ConfigError } from '../../../errors.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import { RUNNERS } from '../../../core/agent-schema/command-rule.ts';
import { parseRule } from '../../../core/agent-schema/permission-rule.ts';
import type { FileClaim } from './claim.ts';

/** That a rule which allows commands allows no more than it seems to. */
export function allowedCommands({ permissions: { allow } }: Agent): FileClaim[] {
  return allow.map((rule, index) => ({
    path: ['permissions', 'allow', index],
    check() {
      const wayOut = wayOutOf(rule);
      if (wayOut !== undefined) throw new ConfigError(wayOut);
    },
  }));
}

/**
 * What a rule lets a model do beside what it seems to be about: programs whose options and arguments run others, or
 * write where they say, make of any text behind them any command.
 * @param rule of `allow`
 * @returns undefined where nothing of it is known
 */
export function wayOutOf(rule: string): string | undefined {
  const { tool, pattern } = parseRule(rule) ?? {};
  if (tool !== 'run_command' || pattern?.includes('*') !== true) return undefined;
  const found = wayOut(pattern.slice(0, pattern.indexOf('*')).trimStart());
  return found && `${rule} allows any command: ${found}; allow whole commands, without *, or name it in ask`;
}

/** @param fixed what stands before the first star, whose last word may be a part of one */
function wayOut(fixed: string): string | undefined {
  const words = fixed.split(/\s+/);
  const at = words.findIndex((word) => !/^\w+=/.test(word));
  if (at < 0) return 'a variable such as LD_PRELOAD has programs run code';
  const [path = '', subcommand] = words.slice(at);
  const program = path.slice(path.lastIndexOf('/') + 1);
  if (subcommand === undefined) return startingWith(program);
  if (program === 'git') return GIT_HARMLESS.has(subcommand) ? undefined : gitDoes(subcommand);
  if (HARMLESS[program]?.includes(subcommand) === true) return undefined;
  const does = WAYS_OUT.get(program);
  return does && `${program} ${does}`;
}

/** The same for a program of which the rule has only the beginning of the name. */
function startingWith(beginning: string): string | undefined {
  if (beginning === '') return 'it names no program';
  const found = [...WAYS_OUT].find(([program]) => program.startsWith(beginning));
  return found && `${found[0]} ${found[1]}`;
}

const ANY_GIT = 'runs commands that its options name';

/** What programs do when their options or arguments say so, by their names; what is said last of one counts. */
const WAYS_OUT = byName({
  'runs the command that follows it': [...RUNNERS].join(' '),
  'runs the code that it is given': `Rscript awk bc bun clisp deno erl expect gawk gdb ghc groovy irb java jshell julia
    lua make mawk mysql nawk node octave osascript perl php psql pwsh python python2 python3 ruby sbcl scala sqlite3
    swift tclsh ts-node tsx`,
  'writes any file': `7z base64 bzip2 cp cpio csplit dd gcc gpg gzip iconv install ln mv openssl pandoc patch rsync scp
    shred shuf split ssh-keygen tee touch tree truncate uniq unzip xxd xz yq zip zstd`,
  'runs commands from within': 'bat ed emacs ftp fzf less man more nano sftp vi view vim',
  'runs commands and deletes files (-exec, -delete)': 'find',
  'runs commands (-x)': 'fd',
  'runs commands (--pre)': 'rg',
  'runs commands (--pager)': 'ack ag',
  'runs commands and writes files (its commands e and w)': 'sed',
  'runs commands (--to-command, --checkpoint-action)': 'tar',
  'writes files (-o) and runs commands (--compress-program)': 'sort',
  'writes files (-o, -O) and sends what is in others': 'aria2c aws curl gcloud gh gsutil http wget',
  'connects to anything': 'nc ncat socat telnet',
  'runs scripts and packages (exec, run, install)': `bundle composer corepack gem just npm pip pip3 pipx pnpm poetry rake
    uv uvx yarn`,
  'starts whatever a container or cluster may do': 'docker helm kubectl nerdctl podman terraform vagrant',
  'runs what it builds and what its options name': `ant bazel cargo clang cmake dotnet go gradle gradlew javac meson mvn
    ninja rustc sbt`,
  'runs plugins and settings that its options name': `eslint jest mocha mypy prettier pylint pytest tox tsc vitest
    webpack`,
  [ANY_GIT]: 'git',
});

/** What follows git in lines that do only what they say; options of all others write anywhere, or run commands. */
const GIT_HARMLESS = new Set(
  `add blame branch check-ignore checkout commit count-objects describe for-each-ref ls-files ls-tree merge-base mv
  name-rev reset restore rev-list rev-parse rm show-ref status switch tag`.split(/\s+/),
);

/** The others whose diffs are written anywhere. */
const GIT_WRITES = new Set(
  `diff diff-files diff-index diff-tree format-patch log range-diff reflog show stash whatchanged`.split(
    /\s+/,
  ),
);

/** By what comes first behind their names, the lines of these programs that do only what they say. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  npm: ['ls', 'outdated', 'view'],
  pnpm: ['list', 'outdated', 'why'],
  yarn: ['info', 'list', 'why'],
  docker: ['images', 'logs', 'ps'],
  kubectl: ['describe', 'logs'],
};

function gitDoes(subcommand: string): string {
  if (subcommand === '' || subcommand.startsWith('-'))
    return 'git runs commands that its configuration names (-c)';
  return `git ${subcommand} ${GIT_WRITES.has(subcommand) ? 'writes any file (--output)' : ANY_GIT}`;
}

/** @param names parted by blanks, under what all of them do */
function byName(names: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(names).flatMap(([does, of]) =>
      of.split(/\s+/).map((name): [string, string] => [name, does]),
    ),
  );
}
