import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import type { Wake } from '../executions/wake.ts';
import { clockName, freshClock, patienceLeft, pauseFor } from '../runs/clock.ts';
import type { CallKey } from '../runs/call.ts';
import { questionAskedEvent, type EmitRunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import type { Question } from '../runs/question.ts';
import type { Run } from '../runs/run.ts';
import { isHeldBy } from './hold.ts';

/** What the machine hands over when a call waits: for a person, or for other agents. */
export const AskInput = v.object({
  run: v.string(),
  /** The execution's claim to carry the run. */
  holder: v.number(),
  execution: v.string(),
  turn: v.number(),
  /** Which call of the turn, from 1. */
  call: v.number(),
  /** As in `TurnInput`. */
  patience: v.optional(v.number(), 0),
  /** When the state stops waiting, in milliseconds since 1970. */
  until: v.number(),
  /** Wakes the state. */
  token: v.string(),
});

export type AskInput = v.InferOutput<typeof AskInput>;

export interface AskPersonPorts {
  store: RunStore;
  wake: Wake;
  emit: EmitRunEvent;
  now: () => number;
}

/** A state that waits for an answer. */
export interface Waiting {
  run: Run;
  question: Question;
  execution: string;
  token: string;
  until: number;
}

/**
 * Asks the question of one call, and leaves the token of the state that waits for the answer. Whoever answers writes
 * the answer and then reads the token; this writes the token and then reads the answer: so one of both sees the other,
 * and the state is woken, perhaps twice. A question that was asked before is the same question.
 * @returns undefined where there is nothing to wait for
 */
export async function askPerson(
  { token, patience, ...input }: AskInput,
  ports: AskPersonPorts,
): Promise<Waiting | undefined> {
  const { store, wake, emit, now } = ports;
  const at: CallKey = { run: input.run, turn: input.turn, call: input.call };
  const [run, turn, ended] = await Promise.all([
    store.run(at.run),
    store.turn(at.run, at.turn),
    store.answer(at),
  ]);
  const plan = turn?.plans[at.call - 1];
  if (run === undefined || plan?.kind !== 'ask') {
    throw new AgentError(`turn ${at.turn} of run "${at.run}" has no call ${at.call} that asks a person`);
  }
  // An execution that no longer carries the run finds that out in its next turn.
  const mayAsk = ended === undefined && run.status === 'running' && isHeldBy(run, input);
  if (!mayAsk) {
    // Whoever answered may have died before it was taken off the list.
    if (ended !== undefined) await store.saveAnswer({ ...at, root: run.root }, ended);
    await wake(token);
    return undefined;
  }
  const { question, choices } = plan;
  const asked = await store.saveQuestion({
    ...at,
    root: run.root,
    agent: run.agent,
    ...(run.owner !== undefined && { owner: run.owner }),
    question,
    ...(choices !== undefined && { choices }),
    askedAt: new Date(now()).toISOString(),
  });
  const until = patience > 0 ? await pause(asked, 1000 * patience, ports) : input.until;
  await store.saveAnswerWait(at, { token, until });
  const answered =
    until > now()
      ? await store.answer(at)
      : await store.saveAnswer(asked, { at: new Date(now()).toISOString() });
  if (answered !== undefined) {
    // Takes it off the list again, if it was answered while it was put there.
    await store.saveAnswer(asked, answered);
    await wake(token);
    return undefined;
  }
  emit(questionAskedEvent(run, asked));
  return { run, question: asked, execution: input.execution, token, until };
}

/**
 * Stops the tree's clock.
 * @returns when its patience is used up, in milliseconds since 1970
 */
async function pause(asked: Question, patience: number, { store, now }: AskPersonPorts): Promise<number> {
  const clock = await store.changeClock(asked.root, (current = freshClock(patience)) =>
    pauseFor(current, clockName(asked), now()),
  );
  return now() + patienceLeft(clock, now());
}
