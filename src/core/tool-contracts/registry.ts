import { AgentError } from '../../errors.ts';
import type { ToolCall, ToolDefinition } from '../records/message.ts';
import { isComputed } from '../model/model-name.ts';
import { refused, type Plan } from '../records/plan.ts';
import type { Opened } from '../records/opened.ts';
import type { ToolTarget } from '../records/call.ts';
import type { Asking, EndedSubAgent, SubAgentResult } from './delegation.ts';
import { functionTool } from './function-tool.ts';
import { judge, subjectOf, type Judged, type Verdict } from './permissions.ts';
import { delegationNamed, plannedTool } from '../../tools/planned-tools.ts';
import { serverTool } from './server-tool.ts';
import type { Tool } from './tool.ts';

/** A tool of ours. They are loaded when one is asked for: functions that meet none start faster. */
export async function builtInTool(name: string): Promise<Tool | undefined> {
  const { BUILT_IN_TOOLS } = await import('../../tools/built-in.ts');
  return BUILT_IN_TOOLS.get(name);
}

/** The tool that a run knows by a name; undefined where it was not offered one, or it is there no more. */
export async function toolNamed(
  name: string,
  { tools, targets = {}, servers = {} }: Omit<Offer, 'delegation'>,
): Promise<Tool | undefined> {
  const definition = tools.find((tool) => tool.name === name);
  if (definition === undefined) return undefined;
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  return target === undefined ? builtInTool(name) : toTool(definition, target, servers);
}

/** The tools that there are, in order. */
export async function toolsFound<T>(
  from: readonly T[],
  find: (one: T) => Promise<Tool | undefined>,
): Promise<Tool[]> {
  return (await Promise.all(from.map(find))).flatMap((tool) => tool ?? []);
}

function toTool(definition: ToolDefinition, target: ToolTarget, servers: Servers): Tool {
  if (target.kind === 'function') return functionTool(definition, target);
  return serverTool(
    definition,
    target,
    Object.hasOwn(servers, target.server) ? servers[target.server] : undefined,
  );
}

/** How rules judge a tool that only plans: what it starts is judged by itself. */
export function asReading(name: string): Judged {
  return { definition: { name }, writes: false, subjectIs: 'command' };
}

/**
 * A model may ask for as many calls in one answer as fit in it. More than this are refused: it is what keeps the state
 * of the machine under 40 KB.
 */
export const MAX_CALLS_PER_TURN = 100;

const CUT =
  'Error: the answer reached its token limit in the middle of this call, so the call did not run; ' +
  'make it again with shorter arguments';

/** What a run may use of what there is. */
export type Offer = Pick<Opened, 'delegation' | 'rules' | 'servers' | 'targets' | 'tools' | 'withheld'>;
type Servers = NonNullable<Offer['servers']>;

/** What a model is told of a sub-agent that has ended. @param name of the tool by which the sub-agent was asked for */
export async function toResultOf(name: string, ended: EndedSubAgent): Promise<SubAgentResult> {
  const way = await delegationNamed(name);
  if (way === undefined) throw new AgentError(`there is no way to delegate that is called "${name}"`);
  return way.toResult(ended);
}

type Planning = Asking & Offer & Pick<Opened, 'quietSeconds'>;

/** One plan for each call of an answer, in call order. */
export function planCalls(calls: readonly ToolCall[], opened: Planning): Promise<Plan[]> {
  const plans = calls.map(async (call, index) => {
    if (index >= MAX_CALLS_PER_TURN) {
      return refused(
        `Error: too many tool calls in one answer (${calls.length}); only the first ${MAX_CALLS_PER_TURN} ran`,
      );
    }
    return call.cut ? refused(CUT) : planCall(call, opened);
  });
  return Promise.all(plans);
}

async function planCall(call: ToolCall, opened: Planning): Promise<Plan> {
  const { rules, withheld = [], delegation, quietSeconds = Infinity } = opened;
  const { name } = call;
  if (withheld.includes(name)) {
    return refused(`Permission denied: tool "${name}" is not in the allowed tool list for this sub-agent.`);
  }
  const isWay = delegation.ways?.includes(name);
  if (name === 'call_agent' || isWay) {
    const planned = await plannedTool(name);
    // A computed conversation does what its caller was allowed to delegate.
    const isJudged = isWay && !isComputed(opened.model);
    const verdict = isJudged ? await judge(asReading(name), {}, rules) : 'allowed';
    if (typeof verdict === 'object') return refused(verdict.refusal);
    if (planned !== undefined) return withGate(verdict, planned.plan(call, opened));
  }
  const tool = await toolNamed(name, opened);
  if (tool === undefined) return refused(`Unknown tool: "${name}"`);
  const subject = subjectOf(tool, call.arguments);
  const verdict = await judge(tool, subject, rules);
  if (typeof verdict === 'object') return refused(verdict.refusal);
  const { writes, isRepeatable, by } = tool;
  return withGate(verdict, {
    kind: 'invoke',
    subject: subject.text ?? '',
    writes,
    isRepeatable,
    ...(by !== undefined && { by }),
    seconds: Math.min(tool.seconds(call.arguments), quietSeconds),
  });
}

/** A plan that waits for a person if it has to. Whatever does nothing, or is a question itself, needs no approval. */
function withGate(verdict: Verdict, plan: Plan): Plan {
  const acts = plan.kind === 'invoke' || plan.kind === 'delegate' || plan.kind === 'start';
  return verdict === 'needs approval' && acts ? { ...plan, gate: true } : plan;
}
