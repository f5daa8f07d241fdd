import type { Agent } from '../agent-schema/agent.ts';
import { offeredFunctions } from '../agent-schema/own-functions.ts';
import { namesTool, parseRule } from '../agent-schema/permission-rule.ts';
import { FORK, isOfGit, isSpawning, ownTools, PLANNED_NAMES } from '../agent-schema/tool-names.ts';
import type { ToolRules } from '../records/call.ts';
import type { Opened } from '../records/opened.ts';
import type { OwnTools } from '../tool-contracts/own-tools.ts';
import { asReading, isOffered, mayNeedApproval, type Judged } from '../tool-contracts/permissions.ts';
import { toolNamed } from '../tool-contracts/toolbox.ts';
import type { CallReport, ToolReport } from './agent-report.ts';

/** The part of an opening that says what a conversation may do. */
type Offered = Pick<Opened, 'delegation' | 'rules' | 'servers' | 'targets' | 'tools'>;

const LISTS = ['deny', 'ask', 'allow'] as const;

/**
 * The tools of an agent, by name, and those of its file that its rules take away.
 * @param own with all that its file names
 */
export function toolReports(agent: Agent, offered: Offered, own: OwnTools): ToolReport[] {
  const names = new Set(offered.tools.map(({ name }) => name));
  const inFile = [...ownTools(agent), ...offeredFunctions(agent).map(({ name }) => name)];
  // Without a repository, no rule has taken those of git away.
  const isTaken = (name: string) =>
    !names.has(name) && (!isOfGit(name) || !isOffered(asReading(name), offered.rules));
  const taken = inFile.filter(isTaken);
  return [
    ...offered.tools.map((definition): ToolReport => {
      const tool = judgedAs(definition.name, offered, own);
      return {
        name: definition.name,
        permission: permissionOf(tool, offered.rules),
        ...rulesAbout(tool, offered.rules),
        writes: writesOf(definition.name, tool),
        description: definition.description,
      };
    }),
    ...taken.map((name): ToolReport => {
      const writes = own.carriedOut(name)?.writes ?? writesOf(name, asReading(name));
      return { name, permission: 'deny', writes };
    }),
  ].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The agents that an agent may call from the top of a tree. */
export function callReports(name: string, { delegation, tools }: Offered): CallReport[] {
  return tools.flatMap(({ name: by }): CallReport[] => {
    if (by === 'call_agent') return delegation.subAgents.map((agent) => ({ agent, by }));
    return isSpawning(by) || by === 'sub_agent' || by === FORK ? [{ agent: name, by }] : [];
  });
}

function judgedAs(name: string, offered: Offered, own: OwnTools): Judged {
  return PLANNED_NAMES.includes(name) ? asReading(name) : (toolNamed(name, offered, own) ?? asReading(name));
}

/** Agents that are started in its name may do what it may. */
function writesOf(name: string, { writes }: Judged): boolean {
  return writes || isSpawning(name) || name === FORK;
}

function permissionOf(tool: Judged, rules: ToolRules | undefined): ToolReport['permission'] {
  // Calls of other agents are judged there.
  if (rules === undefined || tool.definition.name === 'call_agent') return 'allow';
  const whole = { ...rules, ask: rules.ask.filter((rule) => parseRule(rule)?.pattern === undefined) };
  return mayNeedApproval(tool, whole) ? 'ask' : 'allow';
}

function rulesAbout({ definition: { name } }: Judged, rules: ToolRules | undefined): { rules?: string[] } {
  const about = LISTS.flatMap((list) =>
    (rules?.[list] ?? []).flatMap((written) => {
      const rule = parseRule(written);
      return rule?.pattern !== undefined && namesTool(rule, name) ? [`${list} ${written}`] : [];
    }),
  );
  return about.length === 0 ? {} : { rules: about };
}
