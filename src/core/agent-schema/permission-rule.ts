/**
 * A rule of `[permissions]`: `read_file`, or `read_file(docs/**)`. The name may contain `*`, for tools of a server:
 * `mcp__docs__*`.
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

/** Whether a text fits a pattern in which `*` is any text, in time that never grows faster than their lengths. */
export function matchesStars(pattern: string, text: string): boolean {
  return starsMatcher(pattern)(text);
}

/** The same for a pattern that is held against many texts. */
export function starsMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
      return false;
    let at = first.length;
    for (const part of parts) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}
