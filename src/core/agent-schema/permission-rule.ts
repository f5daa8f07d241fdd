/**
 * A rule of `[permissions]`: `read_file`, or `read_file(docs/**)`. The name may have a `*` in it, for tools of a
 * server: `mcp__docs__*`.
 */
export interface PermissionRule {
  tool: string;
  /** Absent: every call of the tool. */
  pattern?: string;
}

const RULE = /^([\w.*:-]+)(?:\((.+)\))?$/s;

/** @returns undefined where it is none */
export function parseRule(written: string): PermissionRule | undefined {
  const [, tool, pattern] = RULE.exec(written.trim()) ?? [];
  if (tool === undefined) return undefined;
  return { tool, ...(pattern !== undefined && { pattern }) };
}

/** Whether a rule is about a tool, with any arguments. */
export function namesTool(rule: PermissionRule, tool: string): boolean {
  return rule.tool === tool || (rule.tool.includes('*') && matchesStars(rule.tool, tool));
}

/** The characters that make one line of a shell into several commands, or into another one than it seems. */
const SHELL_SYNTAX = /[;&|<>$()`\n\r]/;

/**
 * Whether a pattern with which something is allowed fits a command: `*` is any text. A command with syntax of the shell
 * may do something else besides, so no `*` stands for that.
 */
export function allowsCommand(pattern: string, command: string): boolean {
  if (pattern.includes('*') && SHELL_SYNTAX.test(command)) return false;
  return matchesCommand(pattern, command);
}

/** Whether a pattern with which something is denied fits a command, or any part of it that the shell runs by itself. */
export function deniesCommand(pattern: string, command: string): boolean {
  return [command, ...command.split(SHELL_SYNTAX)]
    .flatMap((part) => [part, part.replace(BEFORE_PROGRAM, '')])
    .some((part) => matchesCommand(pattern, part) || matchesCommand(pattern, part.replace(/[ \t]+/g, ' ')));
}

/** What may stand before a program that the shell runs all the same: keywords, variables, and programs that run others. */
const BEFORE_PROGRAM =
  /^(?:[\s{!]|\w+=\S*\s|(?:if|then|elif|else|do|while|until|time|env|exec|command|builtin|nohup|nice|sudo|timeout|xargs|busybox|-\S*|\d\S*)\s)+/;

function matchesCommand(pattern: string, command: string): boolean {
  const text = command.trim();
  // "git diff *" is meant to fit "git diff" too.
  return matchesStars(pattern, text) || (pattern.endsWith(' *') && pattern.slice(0, -2) === text);
}

/** Whether a text fits a pattern in which `*` is any text; the time for it never grows faster than their lengths. */
export function matchesStars(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
