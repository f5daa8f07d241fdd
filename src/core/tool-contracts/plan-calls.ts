import { seconds } from '../records/times.ts';
import { isComputed } from '../model/model-name.ts';
import { isAboutTool } from '../records/hooked-tool.ts';
import type { ToolCall } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import { refused, type Plan } from '../records/plan.ts';
import { asReading, judge, subjectOf, type Verdict } from './permissions.ts';
import type { Asking } from './planned-tool.ts';
import type { Offer, Toolbox } from './toolbox.ts';
import { defined } from '../../defined.ts';

/**
 * A model may ask for any number of calls in one answer. More than this are refused, which keeps the state of the
 * machine under 40 KB.
 */
export const MAX_CALLS_PER_TURN = 100;

/** How many characters of calls are held against rules before everything else in the process has its turn. */
const MOST_JUDGED = 10_000;

const CUT =
  'Error: the arguments of this call are no whole JSON object, so it did not run; ' +
  'make it again, with shorter ones if the answer was cut';

type Planning = Asking & Offer & Pick<Opened, 'hooks' | 'quietSeconds'>;

/** One plan for each call of an answer, in call order. @param tools with all that the conversation has */
export async function planCalls(
  calls: readonly ToolCall[],
  opened: Planning,
  tools: Toolbox,
): Promise<Plan[]> {
  const plans: Plan[] = [];
  let judged = 0;
  for (const call of calls.slice(0, MAX_CALLS_PER_TURN)) {
    plans.push(call.cut ? refused(CUT) : withHooks(call, opened, planCall(call, opened, tools)));
    judged += tools.permissions === undefined ? 0 : JSON.stringify(call.arguments).length;
    if (judged < MOST_JUDGED) continue;
    await new Promise((goOn) => setImmediate(goOn));
    judged = 0;
  }
  const tooMany = `Error: too many tool calls in one answer (${calls.length}); only the first ${MAX_CALLS_PER_TURN} ran`;
  return [...plans, ...calls.slice(MAX_CALLS_PER_TURN).map(() => refused(tooMany))];
}

/** @param tools with the one that is called */
export function planCall(call: ToolCall, opened: Planning, tools: Toolbox): Plan {
  const { withheld = [], delegation, quietSeconds = Infinity } = opened;
  const { name } = call;
  if (withheld.includes(name)) {
    return refused(`Permission denied: tool "${name}" is not in the allowed tool list for this sub-agent.`);
  }
  const { inUse } = tools.permissions ?? {};
  const held = (plan: Plan) => inUse?.held(plan) ?? plan;
  const isWay = delegation.ways?.includes(name);
  if (name === 'call_agent' || isWay) {
    const planned = tools.planned(name);
    // A computed conversation carries out the work that its caller was allowed to delegate.
    const isJudged = !isComputed(opened.model);
    // `sub_agents` says which agents may be called, and no rule does.
    const refusal = isJudged && !isWay && inUse?.refusalOf(asReading(name), {});
    if (refusal) return refused(refusal);
    const verdict = isJudged && isWay ? judge(asReading(name), {}, tools.permissions) : 'allowed';
    if (typeof verdict === 'object') return refused(verdict.refusal);
    if (planned !== undefined) return held(withGate(verdict, planned.plan(call, opened)));
  }
  const tool = tools.named(name);
  if (tool === undefined) return refused(`Unknown tool: "${name}"`);
  const subject = subjectOf(tool, call.arguments);
  const verdict = judge(tool, subject, tools.permissions);
  if (typeof verdict === 'object') return refused(verdict.refusal);
  const { writes, isRepeatable, by } = tool;
  const plan: Plan = {
    kind: 'invoke',
    subject: subject.text ?? '',
    writes,
    isRepeatable,
    ...defined({ by }),
    seconds: seconds(
      Math.min(tool.seconds(call.arguments, opened.rules?.sandbox !== undefined), quietSeconds),
    ),
  };
  return held(withGate(verdict, plan));
}

/** A plan that hooks are asked about if they want to be. */
function withHooks({ name }: ToolCall, { hooks = [] }: Planning, plan: Plan): Plan {
  if (plan.kind === 'done' || !hooks.some((hook) => isAboutTool(hook, name))) return plan;
  return { ...plan, hooked: true };
}

/**
 * A plan that waits for a person if it has to. A plan without effects, or one that is a question itself, needs no
 * approval.
 */
function withGate(verdict: Verdict, plan: Plan): Plan {
  const acts = plan.kind === 'invoke' || plan.kind === 'delegate' || plan.kind === 'start';
  return verdict === 'needs approval' && acts ? { ...plan, gate: true } : plan;
}
