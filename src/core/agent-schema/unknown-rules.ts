import type * as v from 'valibot';
import { nearestOrAll } from '../../nearest.ts';
import type { agentFileSchema } from './agent-schema.ts';
import { offeredFunctions } from './own-functions.ts';
import { matchesStars, parseRule } from './permission-rule.ts';
import { MEMORY_TOOLS, SKILL_TOOLS, TOOL_NAMES } from './tool-names.ts';

type AgentFile = v.InferOutput<typeof agentFileSchema>;
type Path = [v.UnknownPathItem, ...v.UnknownPathItem[]];

/**
 * Complains of rules of `[permissions]`, and of hooks, that name no existing tool or function: they would have no effect,
 * and their authors would not notice. The tools of servers are not known here, so a rule may name any tool of a server
 * that the file has.
 */
export function checkRules({ dataset, addIssue }: v.RawCheckContext<AgentFile>): void {
  if (!dataset.typed) return;
  const file = dataset.value;
  const { permissions, functions, hooks, mcp_servers: servers } = file;
  const names = [
    ...TOOL_NAMES,
    ...MEMORY_TOOLS,
    ...SKILL_TOOLS,
    ...offeredFunctions(file).map(({ name }) => name),
  ];
  const prefixes = servers.map(({ name }) => `mcp__${name}__`);
  const check = (tool: string, known: readonly string[], path: Path) => {
    if (known.some((name) => matchesStars(tool, name))) return;
    if (prefixes.some((prefix) => mayMeanToolOf(prefix, tool))) return;
    const all = [...known, ...prefixes.map((each) => `${each}*`)];
    const message = `{key}: unknown tool ${JSON.stringify(tool)}; ${nearestOrAll(tool, known, all)}`;
    addIssue({ message, path });
  };
  for (const [list, rules] of Object.entries(permissions)) {
    for (const [index, written] of rules.entries()) {
      const path: Path = [step(file, 'permissions'), step(permissions, list), step(rules, index)];
      check(parseRule(written)?.tool ?? '', names, path);
    }
  }
  for (const [index, hook] of hooks.entries()) {
    const at: Path = [step(file, 'hooks'), step(hooks, index)];
    for (const [place, tool] of (hook.tools ?? []).entries()) {
      check(tool, [...names, 'call_agent'], [...at, step(hook, 'tools'), step(hook.tools ?? [], place)]);
    }
    if (hook.function === '' || functions.some(({ name }) => name === hook.function)) continue;
    const known = functions.map(({ name }) => name);
    const meant = nearestOrAll(hook.function, known);
    const message = `{key}: no [[functions]] has the name ${JSON.stringify(hook.function)}; ${meant}`;
    addIssue({ message, path: [...at, step(hook, 'function')] });
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
