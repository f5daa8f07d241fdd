import { AgentError } from '../../errors.ts';
import { changesText, isApproved } from '../records/approval.ts';
import { callName, type CallKey } from '../records/call.ts';
import type { ToolCall } from '../records/message.ts';
import { readDecisions } from '../steps/decisions.ts';
import { decidedOf } from '../records/hook.ts';
import { isGated, isHooked, type Plan } from '../records/plan.ts';
import type { RunReads } from '../records/ports.ts';
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
  store: Pick<RunReads, 'answer' | 'decision'>;
  tools: LoadOwnTools;
}

/** A call as it may be carried out. */
export interface ApprovedCall extends PlannedCall {
  /** The first lines of its result; "" unless a person or a hook changed it. */
  changes: string;
  /** Whether a person has approved it. */
  isApproved: boolean;
}

/**
 * A call as it may be carried out. The approval that it needs is looked up where it acts, on every way there. The
 * person who approved it may have changed its arguments, and so may hooks: then it is planned, and so judged by the rules,
 * once more, and the new plan may be a refusal.
 * @throws {AgentError} if it was not approved, or hooks have not allowed it
 */
export async function approvedCall(
  planned: PlannedCall,
  at: CallKey,
  opened: Opened,
  { store, tools }: ApprovalPorts,
): Promise<ApprovedCall> {
  const { call, plan } = planned;
  if (!isGated(plan) && !isHooked(plan)) return { ...planned, changes: '', isApproved: false };
  const [answer, decisions] = await Promise.all([
    store.answer(at),
    isHooked(plan) ? readDecisions(at, call.name, opened.hooks, store) : [],
  ]);
  const edited = isApproved(answer) ? answer?.arguments : undefined;
  const about = {
    on: 'before_call',
    tool: call.name,
    call: at.call,
    isEdited: edited !== undefined,
  } as const;
  const { open, denied, isAsked, replaced } = decidedOf(about, isHooked(plan) ? opened.hooks : [], decisions);
  const needsApproval = isGated(plan) || isAsked;
  if ((needsApproval && !isApproved(answer)) || open.length > 0 || denied !== undefined) {
    throw new AgentError(`call ${callName(at)} of run "${at.run}" needs an approval that it does not have`);
  }
  const changed = replaced?.arguments ?? edited;
  const approved = { isApproved: needsApproval };
  if (changed === undefined) return { ...planned, changes: '', ...approved };
  const by = replaced && `hook ${JSON.stringify(replaced.hook)}`;
  return {
    ...changedCall(planned, changed, opened, await loadTools(opened, tools, [call.name]), by),
    ...approved,
  };
}

/** The skills whose limits a call is held to, or what it starts. */
function skillsOf(plan: Plan): string[] | undefined {
  if (plan.kind === 'delegate') return plan.derived?.skills;
  return plan.kind === 'invoke' ? plan.skills : undefined;
}

/** A call with other arguments than the model wrote, planned once more. @param by who changed them; absent: a person */
export function changedCall(
  { call, plan }: PlannedCall,
  changed: ToolCall['arguments'],
  opened: Opened,
  tools: Toolbox,
  by?: string,
): Omit<ApprovedCall, 'isApproved'> {
  const other = { ...call, arguments: changed };
  const held = heldTo(tools, opened.skills, skillsOf(plan));
  const changes = changesText(call.arguments, changed, by);
  return { call: other, plan: planCall(other, opened, held), changes };
}
