import { CALL_AGENT, callAgentTool, planCallAgent } from './call-agent.ts';
import { type DelegationLimits, refused, type Plan, type Planner } from '../runs/plan.ts';
import type { ToolCall, ToolDefinition } from '../runs/message.ts';

/** A tool that an agent may be offered: how the model sees it, and what a call of it comes to. */
interface Tool {
  /** Undefined where this agent is not offered the tool. */
  define(limits: DelegationLimits): ToolDefinition | undefined;
  plan: Planner;
}

/** Every tool there is, by the name that models call it by, in alphabetical order: the order in which they are sent. */
const TOOLS = new Map<string, Tool>([[CALL_AGENT, { define: callAgentTool, plan: planCallAgent }]]);

/**
 * A model may ask for as many calls in one answer as fit in it. More than this are refused: it is what keeps the state
 * of the machine under 40 KB.
 */
export const MAX_CALLS_PER_TURN = 100;

/**
 * The history of an execution ends at 25,000 events, and the run with it. 50 turns are at most 11 events each, a call
 * that the machine carries out at most 10, which leaves room for a few hundred retries.
 */
export const MAX_CALLS_PER_RUN = 2000;

const CUT =
  'Error: the answer reached its token limit in the middle of this call, so the call did not run; ' +
  'make it again with shorter arguments';

/** The tools that an agent with these limits is offered. */
export function toolsFor(limits: DelegationLimits): ToolDefinition[] {
  return [...TOOLS.values()].flatMap((tool) => tool.define(limits) ?? []);
}

/**
 * One plan for each call of an answer, in call order.
 * @param before how many calls of the run the machine has carried out already
 */
export function planCalls(calls: readonly ToolCall[], limits: DelegationLimits, before: number): Plan[] {
  let carriedOut = before;
  return calls.map((call, index) => {
    if (index >= MAX_CALLS_PER_TURN) {
      return refused(
        `Error: too many tool calls in one answer (${calls.length}); only the first ${MAX_CALLS_PER_TURN} ran`,
      );
    }
    if (call.cut) return refused(CUT);
    const tool = TOOLS.get(call.name);
    if (tool === undefined) return refused(`Unknown tool: "${call.name}"`);
    const plan = tool.plan(call, limits);
    if (plan.kind === 'done') return plan;
    if (carriedOut >= MAX_CALLS_PER_RUN) {
      return refused(`Error: too many tool calls in one run; only the first ${MAX_CALLS_PER_RUN} ran`);
    }
    carriedOut++;
    return plan;
  });
}
