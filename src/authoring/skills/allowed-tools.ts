import { parseRule } from '../../core/agent-schema/permission-rule.ts';
import { SKILL_TOOLS } from '../../core/agent-schema/tool-names.ts';
import { CLAUDE_TOOLS } from '../import/claude-tools.ts';
import { patternsFor } from '../import/patterns.ts';

/**
 * The rules that `allowed-tools` of a skill stands for, in Cadre's terms. It names tools as Claude Code does (`Read`,
 * `Bash(git:*)`) or as Cadre does, with spaces or commas between them, or as a list. The tools that read skills are always
 * among them: a skill has files, and another may be needed.
 * @returns `reason` where it cannot be read
 */
export function toRules(written: unknown): { rules: string[] } | { reason: string } {
  const words = typeof written === 'string' ? wordsIn(written) : written;
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
    return { reason: 'allowed-tools must be a text with spaces between tools, or a list of tools' };
  }
  const odd = words.find((word) => parseRule(word) === undefined);
  if (odd !== undefined) {
    return {
      reason: `allowed-tools has ${JSON.stringify(odd)}, which is no tool: write a tool, or a tool with a pattern, such as Bash(git status:*)`,
    };
  }
  return { rules: [...new Set([...words.flatMap(rulesOf), ...SKILL_TOOLS])] };
}

/** The words of a text; what is in parentheses belongs to the tool in front of them. */
function wordsIn(text: string): string[] {
  return text.match(/[^\s,(]+(?:\([^)]*\)?)?/g) ?? [];
}

function rulesOf(word: string): string[] {
  const { tool = word, pattern = '*' } = parseRule(word) ?? {};
  if (/^(Agent|Task)$/.test(tool)) return ['call_agent'];
  // All tools of a server.
  if (/^mcp__[^_]+(_[^_]+)*$/.test(tool)) return [`${tool}__*`];
  const known = new Map(Object.entries(CLAUDE_TOOLS)).get(tool.toLowerCase());
  if (known === undefined) return [word.trim()];
  if (pattern.trim() === '*') return [...known];
  return known.flatMap((each) => patternsFor(each, pattern).map((found) => `${each}(${found})`));
}
