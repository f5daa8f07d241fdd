import type { ToolCall, ToolResult } from '../runs/message.ts';
import { refused, type Plan } from '../runs/plan.ts';
import { DELEGATE } from './delegate.ts';
import { DONE } from './done.ts';
import type { CallOf, Ended, Kind, Planned } from './kind.ts';
import type { Step } from './step.ts';

/** A plan with what its kind makes of it. */
interface PlannedCall {
  startedRun(at: CallOf): string | undefined;
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
    startedRun: (at) => kind.startedRun(plan, at),
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

/** The runs that the calls of a turn start, by the index of their plan. */
export function startedRuns(plans: readonly Plan[], at: Omit<CallOf, 'call'>): Map<number, string> {
  const started = new Map<number, string>();
  plans.forEach((plan, index) => {
    const run = planned(plan).startedRun({ ...at, call: index + 1 });
    if (run !== undefined) started.set(index, run);
  });
  return started;
}

/**
 * The plans with those refused that the tree has no room for.
 * @param started the runs that they start, in call order: the first ones have room
 * @param granted for how many there is room
 * @param max how many a tree may have, for the words
 */
export function withinTree(
  plans: readonly Plan[],
  started: ReadonlyMap<number, string>,
  granted: number,
  max: number,
): Plan[] {
  const refusedOnes = new Set([...started.keys()].slice(granted));
  return plans.map((plan, index) =>
    refusedOnes.has(index)
      ? refused(`Error: the tree has reached its ${max} sub-agent runs; continue with the results so far`)
      : plan,
  );
}
