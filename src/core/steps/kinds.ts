import { GATE, HOOKED, sum } from '../machine/costs.ts';
import { isGated, isHooked, type Plan } from '../records/plan.ts';
import { ASK } from './ask.ts';
import { DELEGATE } from './delegate.ts';
import { DONE } from './done.ts';
import { INVOKE_TOOL } from './invoke.ts';
import type { Kind, PlannedCall } from './kind.ts';
import { START } from './start.ts';
import { WAIT_FOR_MAIL } from './wait.ts';

export function planned(plan: Plan): PlannedCall {
  const call = ofKind(plan);
  if (isHooked(plan)) {
    return {
      ...call,
      worstCost: call.worstCost && sum(...HOOKED, call.worstCost),
      toResult: async (asked, ended) =>
        (await import('./hooked.ts')).toHookedResult(call, plan, asked, ended),
    };
  }
  if (!isGated(plan)) return call;
  // Most runs ask for no approvals, and functions start faster without them.
  const gate = () => import('./gate.ts');
  return {
    ...call,
    worstCost: call.worstCost && sum(GATE, call.worstCost),
    toStep: async (context) => (await gate()).toStepBehindGate(call, context),
    toResult: async (asked, ended) => (await gate()).toResultBehindGate(call, plan, asked, ended),
  };
}

/** The one place that knows every kind of plan. The result of a call is told without its gate. */
export function ofKind(plan: Plan): PlannedCall {
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
    worstCost: kind.worstCost?.(plan) ?? kind.costs?.failed,
    toStep: (context) => kind.toStep(plan, context),
    toResult: (call, ended) => kind.toResult(call, plan, ended),
  };
}
