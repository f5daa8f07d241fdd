import type { Cost } from '../machine/costs.ts';
import type { ToolCall, ToolResult } from '../runs/message.ts';
import type { Plan } from '../runs/plan.ts';
import { ASK } from './ask.ts';
import { DELEGATE } from './delegate.ts';
import { DONE } from './done.ts';
import { INVOKE_TOOL } from './invoke.ts';
import type { CallOf, Ended, Kind, Planned } from './kind.ts';
import { START } from './start.ts';
import type { Step } from './step.ts';
import { WAIT_FOR_MAIL } from './wait.ts';

/** A plan together with what its kind says about it. */
interface PlannedCall {
  startedRun(at: CallOf): string | undefined;
  atOnce: number;
  /** The most that it adds to an execution's history; undefined if the machine is not asked to act on it. */
  worstCost: Cost | undefined;
  toStep(planned: Planned): Promise<Step | undefined>;
  toResult(call: ToolCall, ended: Ended): Promise<ToolResult>;
}

/** The one place that knows every kind of plan. */
export function planned(plan: Plan): PlannedCall {
  switch (plan.kind) {
    case 'done':
      return bind(DONE, plan);
    case 'delegate':
      return bind(DELEGATE, plan);
    case 'start':
      return bind(START, plan);
    case 'invoke':
      return bind(INVOKE_TOOL, plan);
    case 'ask':
      return bind(ASK, plan);
    case 'wait':
      return bind(WAIT_FOR_MAIL, plan);
  }
}

function bind<P extends Plan>(kind: Kind<P>, plan: P): PlannedCall {
  return {
    startedRun: (at) => kind.startedRun(plan, at),
    atOnce: kind.atOnce(plan),
    worstCost: kind.costs?.failed,
    toStep: (context) => kind.toStep(plan, context),
    toResult: (call, ended) => kind.toResult(call, plan, ended),
  };
}
