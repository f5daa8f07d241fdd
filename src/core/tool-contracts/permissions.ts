import { namesTool, parseRule, type PermissionRule } from '../agent-schema/permission-rule.ts';
import type { ToolRules } from '../records/call.ts';
import type { ToolDefinition } from '../records/message.ts';
import type { OpenedSkill } from '../records/opened.ts';
import type { Plan } from '../records/plan.ts';
import { RefusedCall } from './arguments.ts';
import { errorOutput } from './error-output.ts';
import type { Tool, ToolArguments } from './tool.ts';

/** The properties of a tool that rules look at. */
export type Judged = Pick<Tool, 'writes' | 'subjectIs'> & { definition: Pick<ToolDefinition, 'name'> };

/** How rules judge a tool that only plans: what it starts is judged by itself. */
export function asReading(name: string): Judged {
  return { definition: { name }, writes: false, subjectIs: 'command' };
}

/** Whether an agent is offered a tool at all: not if a rule denies every call of it, or mode plan does. */
export function isOffered({ definition: { name }, writes }: Judged, rules: ToolRules | undefined): boolean {
  if (rules === undefined) return true;
  if (writes && rules.mode === 'plan') return false;
  return !toRules(rules.deny).some((rule) => rule.pattern === undefined && namesTool(rule, name));
}

/** Whether a person may have to approve calls of a tool. */
export function mayNeedApproval(
  { definition: { name }, writes }: Judged,
  rules: ToolRules | undefined,
): boolean {
  if (rules === undefined || rules.isSilent) return false;
  const about = (list: readonly string[]) => toRules(list).filter((rule) => namesTool(rule, name));
  if (about(rules.ask).length > 0) return true;
  return rules.mode === 'ask' && writes && about(rules.allow).every(({ pattern }) => pattern !== undefined);
}

/** The tool whose rules say what a model gets to read. */
export const READING = 'read_file';

/** The rules of a conversation with the code that matches their patterns, loaded: judging a call waits for nothing. */
export interface Permissions {
  rules: ToolRules;
  /** The skills in use that set limits as well; absent: none does. */
  inUse?: SkillsInUse;
  /** Whether a pattern fits what a call is about. */
  matches: Record<Tool['subjectIs'], (pattern: string, subject: string, allows: boolean) => boolean>;
}

/** The limits of skills that have been loaded. */
export interface SkillsInUse {
  /** Why they prevent a call, in words for the model; undefined: they do not. */
  refusalOf(tool: Judged, subject: Subject): string | undefined;
  /** A plan whose call, or whose sub-agent, is held to the same limits. */
  held(plan: Plan): Plan;
}

/**
 * Loads the code that matches the patterns of rules. Most conversations have none, and those for paths take a
 * library.
 * @param tools that will be judged
 * @param skills that may come into use
 */
export async function loadPermissions(
  rules: ToolRules,
  tools: readonly Judged[],
  skills: readonly OpenedSkill[] = [],
): Promise<Permissions> {
  const limits = skills.flatMap(({ allowedTools = [] }) => allowedTools);
  const patterns = toRules([...rules.deny, ...rules.ask, ...rules.allow, ...limits]).filter(
    ({ pattern }) => pattern !== undefined,
  );
  // Files that may be shown are judged as `read_file` judges them.
  const isAbout = (rule: PermissionRule, tool: Judged) =>
    namesTool(rule, tool.definition.name) || (tool.subjectIs === 'path' && namesTool(rule, READING));
  const isMatched = (kind: Tool['subjectIs']) =>
    tools.some((tool) => tool.subjectIs === kind && patterns.some((rule) => isAbout(rule, tool)));
  const [command, path, address] = await Promise.all([
    isMatched('command') ? import('../agent-schema/command-rule.ts') : undefined,
    isMatched('path') ? import('../agent-schema/path-rule.ts') : undefined,
    isMatched('address') ? import('../agent-schema/address-rule.ts') : undefined,
  ]);
  return {
    rules,
    matches: {
      path: path?.matchesPath ?? notLoaded,
      command: command?.matchesCommand ?? notLoaded,
      address: address?.matchesAddress ?? notLoaded,
    },
  };
}

function notLoaded(pattern: string): never {
  throw new Error(`a call is judged by the pattern ${pattern}, which was loaded for other tools`);
}

/** Whether a call may be made, if need be once a person has approved it; or why not, in words for the model. */
export type Verdict = 'allowed' | 'needs approval' | { refusal: string };

/** The subject of a call. */
export interface Subject {
  /** The text that patterns are matched with; absent where the call has none. */
  text?: string | undefined;
  /** Why it is not known, in words for the model; absent if the tool has no subject. */
  fault?: string;
}

/** The subject of a call, or the fault in the argument that holds it. */
export function subjectOf({ subject }: Pick<Tool, 'subject'>, args: ToolArguments): Subject {
  try {
    return { text: subject(args) };
  } catch (thrown) {
    if (thrown instanceof RefusedCall) return { fault: thrown.message };
    throw thrown;
  }
}

/**
 * Judges a call. Denials come first, then calls that a person has to approve, then allowed ones; the mode
 * decides about a call that no rule names.
 */
export function judge(tool: Judged, subject: Subject, permissions: Permissions | undefined): Verdict {
  if (permissions === undefined) return 'allowed';
  const { rules } = permissions;
  const { name } = tool.definition;
  const fitting = (list: readonly string[], allows: boolean) =>
    list.find((written) => {
      const rule = parseRule(written);
      return rule && namesTool(rule, name) && fits(rule, tool, subject.text, allows, permissions);
    });
  const denied = fitting(rules.deny, false);
  if (denied !== undefined) {
    // The call is not made in any case; but a model that reads of a rule takes the whole tool for forbidden.
    if (subject.fault !== undefined && isOffered(tool, rules)) {
      return { refusal: errorOutput(subject.fault).text };
    }
    return { refusal: `Permission denied: "${name}" is denied by the rule ${denied}.` };
  }
  const refusal = permissions.inUse?.refusalOf(tool, subject);
  if (refusal !== undefined) return { refusal };
  if (fitting(rules.ask, false) === undefined) {
    if (rules.mode === 'auto' || !tool.writes) return 'allowed';
    if (fitting(rules.allow, true) !== undefined) return 'allowed';
  }
  return rules.isSilent ? { refusal: unaskable(name) } : 'needs approval';
}

/** The result of a call that a person would have to approve, where none is asked. */
export function unaskable(name: string): string {
  return `Permission denied: "${name}" needs approval and nobody can be asked.`;
}

/** Whether the pattern of a rule fits what a call is about. */
export function fits(
  { pattern }: PermissionRule,
  { subjectIs }: Judged,
  subject: string | undefined,
  allows: boolean,
  { matches }: Permissions,
): boolean {
  if (pattern === undefined) return true;
  // A subject that cannot be matched might be anything: it is not allowed, and it is denied.
  return subject === undefined ? !allows : matches[subjectIs](pattern, subject, allows);
}

/** Rules as they are written, parsed. */
export function toRules(written: readonly string[]): PermissionRule[] {
  return written.flatMap((each) => parseRule(each) ?? []);
}
