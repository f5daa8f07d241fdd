import { AgentError } from '../../errors.ts';
import { changesText, isApproved } from '../records/approval.ts';
import { callName, type CallKey } from '../records/call.ts';
import type { ToolCall } from '../records/message.ts';
import { isGated, type Plan } from '../records/plan.ts';
import type { Questions } from '../records/ports.ts';
import type { Opened } from '../records/opened.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { planCall } from '../tool-contracts/plan-calls.ts';
import { heldTo } from '../tool-contracts/skills-in-use.ts';
import { loadTools, type Toolbox } from '../tool-contracts/toolbox.ts';

/** A call with its plan. */
interface PlannedCall {
  call: ToolCall;
  plan: Plan;
}

export interface ApprovalPorts {
  store: Pick<Questions, 'answer'>;
  tools: LoadOwnTools;
}

/** A call as it may be carried out. */
export interface ApprovedCall extends PlannedCall {
  /** The first lines of its result; "" unless a person changed it. */
  changes: string;
}

/**
 * A call as it may be carried out. The approval that it needs is looked up where it acts, on every way there. The
 * person who approved it may have changed its arguments: then it is planned, and so judged by the rules, once more, and
 * the new plan may be a refusal.
 * @throws {AgentError} if it was not approved
 */
export async function approvedCall(
  planned: PlannedCall,
  at: CallKey,
  opened: Opened,
  { store, tools }: ApprovalPorts,
): Promise<ApprovedCall> {
  if (!isGated(planned.plan)) return { ...planned, changes: '' };
  const answer = await store.answer(at);
  if (!isApproved(answer)) {
    throw new AgentError(`call ${callName(at)} of run "${at.run}" needs an approval that it does not have`);
  }
  if (answer?.arguments === undefined) return { ...planned, changes: '' };
  return changedCall(planned, answer.arguments, opened, await loadTools(opened, tools, [planned.call.name]));
}

/** A call with other arguments than the model wrote, planned once more. */
export function changedCall(
  { call, plan }: PlannedCall,
  changed: ToolCall['arguments'],
  opened: Opened,
  tools: Toolbox,
): ApprovedCall {
  const other = { ...call, arguments: changed };
  const held = heldTo(tools, opened.skills, plan.kind === 'invoke' ? plan.skills : undefined);
  return { call: other, plan: planCall(other, opened, held), changes: changesText(call.arguments, changed) };
}
