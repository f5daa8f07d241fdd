import type { ToolCall, ToolResult } from '../runs/message.ts';
import { refused, type Plan } from '../runs/plan.ts';
import { DELEGATE } from './delegate.ts';
import { DONE } from './done.ts';
import type { Ended, Kind, Planned } from './kind.ts';
import type { Step } from './step.ts';

/** A plan with what its kind makes of it. */
interface PlannedCall {
  startsRun: boolean;
  /** Whether the machine is asked to act on it. */
  needsMachine: boolean;
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
  }
}

function bind<P extends Plan>(kind: Kind<P>, plan: P): PlannedCall {
  return {
    startsRun: kind.startsRun,
    needsMachine: kind.costs !== undefined,
    toStep: (context) => kind.toStep(plan, context),
    toResult: (call, ended) => kind.toResult(call, plan, ended),
  };
}

/** For what all steps of a turn show of themselves, in bytes of JSON. */
const PREVIEW_BYTES = 14_000;

/** What one of so many calls may show of itself. */
export function previewBytes(calls: number): number {
  return Math.floor(PREVIEW_BYTES / Math.max(1, calls));
}

/** The steps for those calls of a turn that the machine has (still) to act on, in call order. */
export async function toSteps(
  plans: readonly Plan[],
  turn: Omit<Planned, 'call' | 'previewBytes'>,
): Promise<Step[]> {
  const steps = await Promise.all(
    plans.map((plan, index) =>
      planned(plan).toStep({ ...turn, call: index + 1, previewBytes: previewBytes(plans.length) }),
    ),
  );
  return steps.filter((step) => step !== undefined);
}

/**
 * The plans with those refused, the last ones first, whose runs the tree has no room for.
 * @param granted how many runs there may still be
 * @param max how many a tree may have, for the words
 */
export function withinTree(plans: readonly Plan[], granted: number, max: number): Plan[] {
  let left = granted;
  return plans.map((plan) => {
    if (!planned(plan).startsRun || left-- > 0) return plan;
    return refused(`Error: the tree has reached its ${max} sub-agent runs; go on with what there is`);
  });
}
