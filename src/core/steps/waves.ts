import { defined } from '../../defined.ts';
import { callsAtOnce, type DelegationLimits, type Plan } from '../records/plan.ts';
import type { Turn } from '../records/turn.ts';
import type { Planned } from './kind.ts';
import { planned } from './kinds.ts';
import type { Step } from './step.ts';

/** Steps that the machine carries out before it begins the next wave: one entry into the state `Act`. */
export interface Wave {
  /** How many of them may be under way at once. */
  concurrency: number;
  /** Of all its steps; absent where they differ, or where one has a gate. */
  kind?: Step['kind'];
  steps: Step[];
}

/** For the previews of all steps of a turn together, in bytes of JSON. */
const PREVIEW_BYTES = 14_000;

/** The bytes that each of so many calls has for its preview. */
export function previewBytes(calls: number): number {
  return Math.floor(PREVIEW_BYTES / Math.max(1, calls));
}

/**
 * The steps for the calls of a turn on which the machine (still) has to act, in call order. Adjacent calls with the
 * same limit of calls at once form a wave; those that change something run one by one. So a model that edits a file and
 * reads it in the same answer reads what it wrote.
 * @returns an empty list if there is nothing to do
 */
export async function toWaves(
  { answer, plans }: Turn,
  turn: Omit<Planned, 'call' | 'tool' | 'previewBytes'>,
): Promise<Wave[]> {
  const steps = await Promise.all(
    plans.map(async (plan, index) => {
      const call = index + 1;
      const tool = answer.calls[index]?.name ?? '';
      const bytes = previewBytes(plans.length);
      const { toStep } = planned(plan);
      return { step: await toStep({ ...turn, call, tool, previewBytes: bytes }), plan };
    }),
  );
  return inWaves(steps, turn.limits);
}

/** Steps with their plans, in waves. */
export function inWaves(
  steps: readonly { step: Step | undefined; plan: Plan }[],
  limits: DelegationLimits,
): Wave[] {
  const ofRun = callsAtOnce(limits);
  const waves: Wave[] = [];
  for (const { step, plan } of steps) {
    if (step === undefined) continue;
    const concurrency = Math.min(planned(plan).atOnce, ofRun);
    const wave = waves.at(-1);
    if (wave?.concurrency === concurrency) wave.steps.push(step);
    else waves.push({ concurrency, steps: [step] });
  }
  return waves.map((wave) => ({ ...wave, ...defined({ kind: kindOf(wave.steps) }) }));
}

/** The kind of all of them, which nobody has to approve. */
function kindOf(steps: readonly Step[]): Wave['kind'] {
  const [kind, ...others] = new Set(steps.map((step) => ('gate' in step ? undefined : step.kind)));
  return others.length === 0 ? kind : undefined;
}
