import { starsMatcher } from './permission-rule.ts';

/** The characters that turn a line of a shell into several commands, or into another command than it seems. */
const SHELL_SYNTAX = /[;&|<>$()`\n\r]/;

/**
 * Whether a pattern fits a command. In a pattern that allows, `*` is any text without shell syntax, since a command
 * with syntax may do something else besides. A pattern that denies fits any part of a command that the shell runs,
 * however it is written.
 */
export function matchesCommand(pattern: string, command: string, allows: boolean): boolean {
  const fits = matcherOf(pattern);
  if (!allows) return allFormsOf(command).some(fits);
  return !(pattern.includes('*') && SHELL_SYNTAX.test(command)) && fits(withoutBlanks(command));
}

/** Other white space is part of a word to the shell: `sh a.sh\v` runs another file than `sh a.sh`. */
function withoutBlanks(command: string): string {
  return command.replace(/^[ \t\n]+/, '').replace(/(?<![ \t\n])[ \t\n]+$/, '');
}

function matcherOf(pattern: string): (command: string) => boolean {
  const fits = starsMatcher(pattern);
  // "git diff *" is meant to fit "git diff" too.
  const alone = pattern.endsWith(' *') ? pattern.slice(0, -2) : undefined;
  return (command) => command === alone || fits(command);
}

/** Of the command that was judged last: an agent's rules are applied to one command after another. */
let judged: { command: string; forms: readonly string[] } | undefined;

/** Every form of every part of a command. Those of a long command take far longer to find than to compare. */
function allFormsOf(command: string): readonly string[] {
  if (judged?.command !== command) judged = { command, forms: partsOf(command).flatMap(formsOf) };
  return judged.forms;
}

/** A command and the parts of it that the shell runs, as they are written and as the shell reads them. */
function partsOf(command: string): string[] {
  // A continued line, {a,b}, quotes, and files that a command reads and writes, which may precede it.
  const joined = command.replace(/\\\r?\n/g, '');
  const read = [joined, joined.replace(QUOTED, (quoted) => quoted.replace(NO_WORD, '_'))].map((text) =>
    text
      .replace(/\{([^{}\s]+)\}/g, (whole, list: string) =>
        list.includes(',') ? list.replaceAll(',', ' ') : whole,
      )
      .replace(/\\(.)|["']/g, '$1'),
  );
  const redirected = read.map((text) => text.replace(/[<>][&|]?[ \t]*[^\s;&|<>()]+/g, ' '));
  const expanded = redirected.map((text) => text.replace(EXPANDED, '_'));
  const texts = [...new Set([command, ...read, ...redirected, ...expanded])];
  return [...new Set(texts.flatMap((text) => [text, ...text.split(SHELL_SYNTAX)]))];
}

/** What quotes make one word of, as in `A="x y" rm z`. */
const QUOTED = /\\.|"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)/gs;
const NO_WORD = /[\s;&|<>$()`]/g;

/** What the shell puts a value in place of, as in `A=$B rm x`. */
const EXPANDED = /\$(?:\w+|\{[^{}]*\}|\([^()]*\)|[^\w\s{(])|`[^`]*`/g;

/** What may precede a program: keywords, variables, and what is left of `2>&1`. */
const BEFORE_PROGRAM =
  /^(?:\{\w+\}\s|[\s{!]|\d+\s|\w+(?:\[[^\]\s]*\])?\+?=\S*\s|(?:if|then|elif|else|do|while|until|coproc(?:\s+\w+(?=\s+\{))?|function\s+\S+)(?=\s))+/;

/** Programs that run the command which stands somewhere behind them. */
export const RUNNERS: ReadonlySet<string> = new Set(
  `ansible ash bash builtin busybox bwrap c8 chronic chroot chrt command concurrently cross-env csh dash
  dbus-run-session doas entr env eval exec fakeroot find fish flock gdb hyperfine ionice ip ksh ltrace mksh nice nodemon nohup npx
  nsenter numactl nyc parallel perf pkexec pm2 prlimit runuser screen script setarch setpriv setsid sh ssh
  stdbuf strace su sudo systemd-run taskset tcsh time timeout tmux toybox trap unbuffer unshare valgrind watch
  watchexec xargs xvfb-run zsh`.split(/\s+/),
);

/** How many words are skipped, and how many options in a row. More would take time, and nobody writes it. */
const MOST_WORDS = 10;
const MOST_OPTIONS = 4;

/** A command as written, without what precedes its program, and without what lies between that and its first word. */
function formsOf(part: string): string[] {
  const trimmed = part.trim();
  const words = trimmed.replace(BEFORE_PROGRAM, '').trim().split(/\s+/);
  const starts = [0];
  if (RUNNERS.has(nameOf(words[0]))) {
    for (let at = 1; at < words.length && starts.length < MOST_WORDS; at++) {
      if (!/^-|^\w+=/.test(words[at] ?? '')) starts.push(at);
    }
  }
  return [trimmed, ...starts.flatMap((at) => calledForms(words.slice(at)))];
}

/** A program by its name alone, with and without the options before its first word: `git -C . push` is `git push`. */
function calledForms([program, ...rest]: readonly string[]): string[] {
  const form = (from: number) => [nameOf(program), ...rest.slice(from)].join(' ');
  const forms = [[program, ...rest].join(' '), form(0)];
  let at = 0;
  for (let options = 0; options < MOST_OPTIONS && rest[at]?.startsWith('-') === true; options++) {
    // An option may take the word behind it.
    forms.push(form(at + 1), form(at + 2));
    at += rest[at + 1]?.startsWith('-') === true ? 1 : 2;
  }
  return forms;
}

function nameOf(program = ''): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
