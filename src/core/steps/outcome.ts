import * as v from 'valibot';

/** The machine's report about one call that it acted on, without any text of the conversation. */
export const Outcome = v.object({
  /** From 1. */
  call: v.number(),
  /** The error's name as the machine caught it; absent if the step succeeded. */
  error: v.optional(v.string()),
  /** Set by a turn, ahead of the outcome of a step that only has hooks or a person asked about the call. */
  gate: v.optional(v.literal(true)),
  /** The beginning of the error's cause. */
  cause: v.optional(v.string()),
});
export type Outcome = v.InferOutput<typeof Outcome>;

/** The machine's knowledge of a call that left no result, in words for the model. */
export function outcomeText(outcome: Outcome | undefined): string {
  return [outcome?.error ?? 'no result', outcome?.cause].filter(Boolean).join(': ');
}
