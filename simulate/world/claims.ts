import * as v from 'valibot';
import { runOfExecution } from '../../src/core/records/run-id.ts';
import { isNested, type Json } from '../../src/json.ts';

/** What a function was called for. */
export interface Claimed {
  run: string;
  holder: number;
  turn?: number | undefined;
  /** Of the calls of its last turn, by their numbers. */
  outcomes: readonly { call: number }[];
}

/** Each is asked for several times. */
const known = new WeakMap<object, Claimed>();

export function toClaim(payload: Json): Claimed {
  const before = isNested(payload) ? known.get(payload) : undefined;
  if (before !== undefined) return before;
  const read = v.safeParse(Payload, payload, { abortEarly: true });
  const claim = read.success ? read.output : { run: '', holder: 0, outcomes: [] };
  if (isNested(payload)) known.set(payload, claim);
  return claim;
}

const Claim = v.pipe(
  v.object({
    run: v.string(),
    holder: v.optional(v.number(), 1),
    turn: v.optional(v.number()),
    outcomes: v.optional(v.array(v.object({ call: v.number() })), []),
  }),
  // After a step about the text of a turn, that turn still has to be stored, and its calls have to be made.
  v.transform(({ run, holder, turn, outcomes }) => ({
    run,
    holder,
    turn: outcomes.some(({ call }) => call === 0) ? turn && turn - 1 : turn,
    outcomes,
  })),
);
/** The first function does not get the run itself, but the execution that may carry it. */
const Opening = v.pipe(
  v.object({ name: v.string(), input: v.object({ holder: v.optional(v.number(), 1) }) }),
  v.transform(({ name, input: { holder } }) => ({ run: runOfExecution(name), holder, outcomes: [] })),
);
const Payload = v.union([
  Claim,
  Opening,
  v.pipe(
    v.object({ call: Claim }),
    v.transform(({ call }) => call),
  ),
  v.pipe(
    v.object({ ask: Claim }),
    v.transform(({ ask }) => ask),
  ),
  v.pipe(
    v.object({ rest: Claim }),
    v.transform(({ rest }) => rest),
  ),
]);
