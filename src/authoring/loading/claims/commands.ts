import { ConfigError } from '../../../errors.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
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
  const [fixed = ''] = pattern.split('*');
  const words = fixed.trim().split(/\s+/);
  const [path = '', subcommand = ''] = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
  const program = path.slice(path.lastIndexOf('/') + 1);
  const does = program === 'git' ? gitDoes(subcommand) : WAYS_OUT.get(program);
  if (does === undefined || HARMLESS[program]?.includes(subcommand) === true) return undefined;
  const line = program === 'git' ? `git ${subcommand}`.trimEnd() : program;
  return `${rule} allows any command: ${line} ${does}; allow whole commands, without *, or name it in ask`;
}

/** What programs do when their options or arguments say so, by their names. */
const WAYS_OUT = byName({
  'runs the command that follows it': `bash busybox command chroot dash doas env eval exec fish flock ionice ksh nice
    nohup npx parallel setsid sh ssh stdbuf strace sudo time timeout unshare watch xargs zsh`,
  'runs the code that it is given':
    'awk bun deno gawk gdb julia lua make mawk node perl php python python3 ruby sqlite3',
  'writes any file': 'cp dd install ln mv openssl patch rsync scp tee truncate unzip zip',
  'runs commands from within': 'ed emacs ftp less man more nano sftp vi view vim',
  'runs commands and deletes files (-exec, -delete)': 'find',
  'runs commands (-x)': 'fd',
  'runs commands (--pre)': 'rg',
  'runs commands and writes files (its commands e and w)': 'sed',
  'runs commands (--to-command, --checkpoint-action)': 'tar',
  'writes files (-o) and runs commands (--compress-program)': 'sort',
  'writes files (-o, -O) and sends what is in others': 'curl wget',
  'runs scripts and packages (exec, run, install)': 'npm pnpm yarn',
  'starts whatever a container or cluster may do': 'docker kubectl podman',
  'runs what it builds and what its configuration names': 'cargo go',
});

/** The same by what comes first behind git; all else of it does only what it says. */
const GIT_WAYS_OUT = byName({
  'writes any file (--output)': 'diff format-patch log show',
  'runs commands that its options name': `archive bisect clone config difftool fetch filter-branch grep ls-remote
    mergetool pull push rebase remote submodule`,
});

/** By what comes first behind their names, the lines of these programs that do only what they say. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  npm: ['ls', 'outdated', 'run', 'test', 'view'],
  pnpm: ['list', 'outdated', 'run', 'test', 'why'],
  yarn: ['info', 'list', 'run', 'test', 'why'],
  cargo: ['build', 'check', 'clippy', 'fmt', 'test'],
  docker: ['images', 'logs', 'ps'],
  kubectl: ['describe', 'get', 'logs'],
};

function gitDoes(subcommand: string): string | undefined {
  const isBare = subcommand === '' || subcommand.startsWith('-');
  return isBare ? 'runs commands that its configuration names (-c)' : GIT_WAYS_OUT.get(subcommand);
}

/** @param names parted by blanks, under what all of them do */
function byName(names: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(names).flatMap(([does, of]) =>
      of.split(/\s+/).map((name): [string, string] => [name, does]),
    ),
  );
}
