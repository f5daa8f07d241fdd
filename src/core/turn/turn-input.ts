import type { Instant } from '../records/times.ts';
import * as v from 'valibot';
import { Outcome } from '../steps/outcome.ts';
import { DEADLINE, CLAIM, SECONDS } from './hold.ts';

/** The machine's input for a turn. */
export const TurnInput = v.object({
  ...CLAIM,
  turn: v.pipe(v.number(), v.integer(), v.minValue(1)),
  deadline: DEADLINE,
  /** Seconds that the run was given, for the message of a timeout. */
  timeout: SECONDS,
  /** Seconds that the tree may wait for people in all; absent in executions of earlier releases. */
  patience: v.optional(SECONDS, 0),
  outcomes: v.array(Outcome),
  /** How often the model's API has failed to answer this turn so far. */
  attempt: v.number(),
  /** How often this turn has waited so far for budget that others held; absent in executions of earlier releases. */
  shortages: v.optional(v.number(), 0),
  /** How often the run has waited so far. */
  waits: v.number(),
});
export type TurnInput = v.InferOutput<typeof TurnInput>;

/** The same, with the moment at which its time is over: its deadline, as far as is known when it begins. */
export interface TimedTurnInput extends TurnInput {
  until: Instant;
}
