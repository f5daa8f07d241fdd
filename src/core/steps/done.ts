import type { DonePlan } from '../records/plan.ts';
import type { Kind } from './kind.ts';

/** A call that was answered when it was planned: it was refused, or named no known tool. */
export const DONE: Kind<DonePlan> = {
  atOnce: () => Infinity,
  startedRun: () => undefined,
  toStep: async () => undefined,
  toResult: async (call, { text, isError }) => ({ callId: call.id, name: call.name, text, isError }),
};
