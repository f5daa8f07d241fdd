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

const RUNS = 'runs the command that follows it';
const CODE = 'runs the code that it is given';
const WRITES = 'writes any file';
const SHELLS_OUT = 'runs commands from within';

/** What programs do when their options or arguments say so, by their names. */
const WAYS_OUT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [RUNS]: `bash busybox command chroot dash doas env eval exec fish flock ionice ksh nice nohup npx parallel setsid sh
      ssh stdbuf strace sudo time timeout unshare watch xargs zsh`,
    [CODE]: 'awk bun deno gawk gdb julia lua make mawk node perl php python python3 ruby sqlite3',
    [WRITES]: 'cp dd install ln mv openssl patch rsync scp tee truncate unzip zip',
    [SHELLS_OUT]: 'ed emacs ftp less man more nano sftp vi view vim',
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
  }).flatMap(([does, programs]) => programs.split(/\s+/).map((program): [string, string] => [program, does])),
);

/** By what comes first behind their names, the lines of these programs that do only what they say. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  npm: ['ls', 'outdated', 'run', 'test', 'view'],
  pnpm: ['list', 'outdated', 'run', 'test', 'why'],
  yarn: ['info', 'list', 'run', 'test', 'why'],
  cargo: ['build', 'check', 'clippy', 'fmt', 'test'],
  docker: ['images', 'logs', 'ps'],
  kubectl: ['describe', 'get', 'logs'],
};

/** By what comes first behind git; all else of it does only what it says. */
function gitDoes(subcommand: string): string | undefined {
  if (/^(-.*|)$/.test(subcommand)) return 'runs commands that its configuration names (-c)';
  if (['diff', 'format-patch', 'log', 'show'].includes(subcommand)) return 'writes any file (--output)';
  return GIT_RUNS.includes(subcommand) ? 'runs commands that its options name' : undefined;
}

const GIT_RUNS = [
  'archive',
  'bisect',
  'clone',
  'config',
  'difftool',
  'fetch',
  'filter-branch',
  'grep',
  'ls-remote',
  'mergetool',
  'pull',
  'push',
  'rebase',
  'remote',
  'submodule',
];
