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
  if (HARMLESS.get(program)?.includes(subcommand) === true) return undefined;
  // `python3.12` and `gcc-13` are the same program of a version.
  const does = WAYS_OUT.get(program) ?? WAYS_OUT.get(program.replace(/-?\d[\d.]*$/, ''));
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
  'runs the code that it is given': `. R Rscript ansible-playbook at awk bc bun clisp crontab deno elixir erl exiftool expect gawk gdb
    ghc gmake gnuplot groovy iex irb java jshell julia kotlin latex ldd lua lualatex m4 make mawk mysql nawk node
    octave osascript pdflatex perl php psql pwsh python python2 python3 ruby sbcl scala source sqlite3
    swift systemctl tclsh ts-node tsx xelatex`,
  'writes any file': `7z as base64 bzip2 c++ cc cloc convert cp cpio cpp csplit ctags dd dot ffmpeg g++ gcc gpg gzip iconv indent install ld ln
    magick mv mysqldump nmap objcopy openssl pandoc patch pg_dump rsync scc scp shred shuf split ss ssh-keygen
    strip tcpdump tee touch tree truncate uniq unzip xmllint xsltproc xxd xz yq zip zstd`,
  'runs commands from within': 'bat dc ed emacs ex ftp fzf less man more nano nvim sftp vi view vim vimdiff',
  'runs commands and deletes files (-exec, -delete)': 'find',
  'runs commands (-x)': 'fd',
  'runs commands (--pre)': 'rg',
  'runs commands (--pager)': 'ack ag',
  'runs programs (--diff-program)': 'diff3 sdiff',
  'runs code (--plugin)': 'ar nm',
  'runs commands and writes files (its commands e and w)': 'sed',
  'runs commands (--to-command, --checkpoint-action)': 'tar',
  'writes files (-o) and runs commands (--compress-program)': 'sort',
  'writes files (-o, -O) and sends what is in others': 'aria2c aws curl gcloud gh gsutil http wget',
  'connects to anything': 'nc ncat socat telnet',
  'runs scripts and packages (exec, run, install)': `apk apt apt-get brew bundle composer conda corepack dpkg gem hatch
    hg just lerna mix nox npm nx pdm pip pip3 pipenv pipx pnpm poetry pre-commit rake rpm svn task turbo uv uvx yarn`,
  'starts whatever a container or cluster may do':
    'docker helm kubectl nerdctl podman pulumi terraform tofu vagrant',
  'runs what it builds and what its options name': `ant bazel cabal cargo clang cmake ctest dotnet flutter go gradle
    gradlew javac meson mvn mvnw ninja rustc rustup sbt stack zig`,
  'runs plugins and settings that its options name': `ava babel cypress esbuild eslint flake8 grunt gulp jest karma mocha
    mypy next nuxt phpunit playwright prettier pylint pytest rollup rspec rubocop stylelint tap tox tsc vite vitest webpack`,
  [ANY_GIT]: 'git',
});

/** What follows git in lines that do only what they say; options of all others write anywhere, or run commands. */
const GIT_HARMLESS = new Set(
  `add branch check-ignore checkout commit count-objects describe for-each-ref ls-files ls-tree merge-base mv name-rev
  reset restore rev-parse rm show-ref status switch tag`.split(/\s+/),
);

/** The others that take options of diffs, which have these written anywhere, or make an empty file of any. */
const GIT_WRITES = new Set(
  `blame diff diff-files diff-index diff-tree format-patch log range-diff reflog rev-list shortlog show stash
  whatchanged`.split(/\s+/),
);

/**
 * By what comes first behind their names, the lines of these programs that do only what they say. Others look like it:
 * `npm view` runs what `--git` names, `pnpm list` a `.pnpmfile.cjs`, `yarn list` a `yarn-path`, and `kubectl logs` what
 * a `--kubeconfig` names.
 */
const HARMLESS: ReadonlyMap<string, readonly string[]> = new Map([
  ['npm', ['ls']],
  ['docker', ['images', 'logs', 'ps']],
]);

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
