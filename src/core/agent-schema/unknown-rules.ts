import type * as v from 'valibot';
import { nearestOrAll } from '../../nearest.ts';
import type { agentFileSchema } from './agent-schema.ts';
import { matchesStars, parseRule } from './permission-rule.ts';
import { SKILL_TOOLS, TOOL_NAMES } from './tool-names.ts';

type AgentFile = v.InferOutput<typeof agentFileSchema>;

/**
 * Complains of rules of `[permissions]` that name no existing tool: they would have no effect, and their authors would
 * not notice. The tools of servers are not known here, so a rule may name any tool of a server that the file has.
 */
export function checkRules({ dataset, addIssue }: v.RawCheckContext<AgentFile>): void {
  if (!dataset.typed) return;
  const { permissions, functions, skills, mcp_servers: servers } = dataset.value;
  const brought = skills.length > 0 ? SKILL_TOOLS : [];
  const names = [...TOOL_NAMES, ...brought, ...functions.map(({ name }) => name)];
  const prefixes = servers.map(({ name }) => `mcp__${name}__`);
  for (const [list, rules] of Object.entries(permissions)) {
    for (const [index, written] of rules.entries()) {
      const tool = parseRule(written)?.tool ?? '';
      if (names.some((name) => matchesStars(tool, name))) continue;
      if (prefixes.some((prefix) => mayMeanToolOf(prefix, tool))) continue;
      const all = [...names, ...prefixes.map((each) => `${each}*`)];
      addIssue({
        message: `{key}: unknown tool ${JSON.stringify(tool)}; ${nearestOrAll(tool, names, all)}`,
        path: [step(dataset.value, 'permissions'), step(permissions, list), step(rules, index)],
      });
    }
  }
}

/** @param tool as a rule has it, with any number of `*` */
function mayMeanToolOf(prefix: string, tool: string): boolean {
  const [start = ''] = tool.split('*', 1);
  return start.startsWith(prefix) || (start !== tool && prefix.startsWith(start));
}

function step(input: object, key: string | number): v.UnknownPathItem {
  return { type: 'unknown', origin: 'value', input, key, value: undefined };
}
