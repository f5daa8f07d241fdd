import { childDeadline, secondsUntil } from '../runs/deadline.ts';
import { childRunId } from '../runs/run-id.ts';
import type { DelegationLimits, Turn } from '../runs/run.ts';

/**
 * What the machine gets of a plan: references, never texts. All steps of a turn together stay well under 40 KB for
 * 100 calls, and a single one under 4 KB, however long the tasks are.
 */
export interface Step {
  /** Which call of the turn, from 1. */
  call: number;
  /** The nested execution's name, and the run that it carries. */
  run: string;
  agent: string;
  /** The beginning of the task, for the eye in the console. */
  task: string;
  /** The latest that the sub-agent may be done, in milliseconds since 1970. */
  deadline: number;
  /** Seconds that it may take from its start on: the state's timeout. */
  timeout: number;
}

const PREVIEW_CHARACTERS = 200;
/** For the previews of all steps of one turn together, as JSON. */
const PREVIEW_BYTES = 16_000;

/** The steps for those calls of a turn that the machine has to act on, in call order. */
export function toSteps(
  run: string,
  turn: Turn,
  limits: DelegationLimits,
  deadline: number,
  now: number,
): Step[] {
  const latest = childDeadline(now, deadline);
  const left = secondsUntil(latest, now);
  const timeout = limits.timeout > 0 ? Math.min(limits.timeout, left) : left;
  const bytes = Math.floor(PREVIEW_BYTES / turn.plans.length);
  return turn.plans.flatMap((plan, index) => {
    if (plan.kind === 'done') return [];
    const call = index + 1;
    const child = childRunId(run, turn.number, call, plan.agent);
    return {
      call,
      run: child,
      agent: plan.agent,
      task: preview(plan.task, bytes),
      deadline: latest,
      timeout,
    };
  });
}

/** The beginning of a text on one line, at most 200 characters and at most so many bytes as JSON. */
export function preview(text: string, maxBytes: number): string {
  const line = text
    .slice(0, 4 * PREVIEW_CHARACTERS)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const fits = (kept: string) => kept.isWellFormed() && Buffer.byteLength(JSON.stringify(kept)) <= maxBytes;
  let end = Math.min(line.length, PREVIEW_CHARACTERS);
  while (end > 0 && !fits(line.slice(0, end))) end -= 1;
  return line.slice(0, end);
}
