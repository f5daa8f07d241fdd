import { toMillis, type Instant, type Millis } from '../records/times.ts';
import * as v from 'valibot';
import { AgentError } from '../../errors.ts';
import type { Wake } from '../machine/wake.ts';
import { isApproved, shownArguments } from '../records/approval.ts';
import { clockName, freshClock, patienceLeft, pauseFor } from '../records/clock.ts';
import type { CallKey } from '../records/call.ts';
import type { ToolCall } from '../records/message.ts';
import { isIn, OPEN } from '../records/phase.ts';
import { isGated, type Plan } from '../records/plan.ts';
import type { RunStore } from '../records/ports.ts';
import { preview } from '../records/preview.ts';
import { DECISIONS, type Answer, type Question } from '../records/question.ts';
import type { Run } from '../records/run.ts';
import { standingAnswer } from '../records/standing-approval.ts';
import { CLAIM, holdRun, isHeldBy, SECONDS } from './hold.ts';
import type { hookedQuestion } from './hooked-question.ts';
import { isElsewhere, targetOf, type LinkPorts } from './link-target.ts';
import { defined } from '../../defined.ts';
import { ownerOf } from '../records/owner.ts';

/** The machine's input when a call waits: for a person, or for other agents. */
export const AskInput = v.object({
  ...CLAIM,
  turn: v.number(),
  /** Which call of the turn, from 1. */
  call: v.number(),
  /** As in `TurnInput`. */
  patience: v.optional(SECONDS, 0),
  /** When the state stops waiting: an `Instant`. */
  until: v.number(),
  /** Wakes the state. */
  token: v.string(),
});

export type AskInput = v.InferOutput<typeof AskInput>;

export interface AskPersonPorts extends Partial<LinkPorts> {
  store: RunStore;
  wake: Wake;
  now: () => Instant;
}

/** A state that waits for an answer. */
export interface WaitingState {
  run: Run;
  question: Question;
  execution: string;
  token: string;
  until: Instant;
}

/**
 * Asks the question of one call, and leaves the token of the state that waits for the answer. The answering process
 * writes the answer and then reads the token; this one writes the token and then reads the answer: so one of both sees
 * the other, and the state is woken, perhaps twice. A question that was asked before is the same question.
 * @returns undefined where there is nothing to wait for
 */
export async function askPerson(
  { token, patience, ...input }: AskInput,
  ports: AskPersonPorts,
): Promise<WaitingState | undefined> {
  const { store, wake, now } = ports;
  const at: CallKey = { run: input.run, turn: input.turn, call: input.call };
  const [run, saved, ended] = await Promise.all([
    store.run(at.run),
    store.turn(at.run, at.turn),
    store.answer(at),
  ]);
  const turn = saved ?? (await store.withheldTurn(at.run, at.turn));
  const call = turn?.answer.calls[at.call - 1];
  const plan = turn?.plans[at.call - 1];
  const asks = (call && questionIn(call, plan)) ?? (turn && (await askedByHook(at, turn, store)));
  if (run === undefined || asks === undefined) {
    throw new AgentError(`turn ${at.turn} of run "${at.run}" has no call ${at.call} that asks a person`);
  }
  // An execution that no longer carries the run finds that out in its next turn; one that was redriven takes it over.
  const held = await holdRun(run, input, turn?.at, ports);
  const isCarried = held?.status === 'running';
  const { approval } = asks;
  // What a hook puts before a person is not covered by what was approved before.
  const standing = isCarried && plan !== undefined && isGated(plan) ? approval : undefined;
  const known = ended ?? (standing && (await standingAnswer({ ...input, run }, standing.tool, store, now())));
  const key = { ...at, root: run.root };
  const end = async (answer: Answer | undefined, of: Question | typeof key = key) => {
    // The process that took the answer may have died before it took the question off the list.
    const kept = answer && (await store.saveAnswer(of, answer));
    await wake(token, { approved: isCarried && isApproved(kept) });
    return undefined;
  };
  if (!isCarried || known !== undefined) return end(known);
  const asked = await store.saveQuestion({
    ...key,
    agent: run.agent,
    ...ownerOf(run),
    ...asks,
    ...(call && (await ledTo(at, { call, plan, asks }, ports))),
    askedAt: new Date(now()).toISOString(),
  });
  const unanswered = () => ({ at: new Date(now()).toISOString() });
  // The machine has given this function up, and the call has ended without it.
  if (asked === undefined) return end(unanswered());
  const until = patience > 0 ? await pause(asked, toMillis(patience), ports) : input.until;
  await store.saveAnswerWait(at, { token, until });
  // Ending a run closes its record and then its questions; this asks and then looks at the record: one sees the other.
  const [answered, current] = await Promise.all([store.answer(at), store.run(at.run)]);
  if (answered !== undefined) return end(answered, asked);
  if (current === undefined || !isIn(OPEN, current)) {
    // Nobody is asked for a run that has ended: if it continues, it asks again.
    await store.closeQuestions(asked.root, [{ id: asked.run }], now(), asked);
    return end(undefined);
  }
  // An execution that has taken the run over asks the same, and has time of its own.
  if (until <= now()) return end(isHeldBy(current, input) ? unanswered() : undefined, asked);
  return { run, question: asked, execution: input.execution, token, until };
}

/** Few runs have hooks. */
async function askedByHook(...asked: Parameters<typeof hookedQuestion>): ReturnType<typeof hookedQuestion> {
  return (await import('./hooked-question.ts')).hookedQuestion(...asked);
}

/** The question to a person because of a call; undefined if there is none. */
function questionIn(
  { name, arguments: given }: ToolCall,
  plan: Plan | undefined,
): Pick<Question, 'question' | 'choices' | 'approval'> | undefined {
  if (plan === undefined) return undefined;
  if (plan.kind === 'ask') {
    const { question, choices } = plan;
    return { question, ...defined({ choices }) };
  }
  if (!isGated(plan)) return undefined;
  const about = plan.kind === 'invoke' ? plan.subject : plan.kind === 'delegate' ? plan.task : '';
  return {
    question: about === '' ? `Allow ${name}?` : `Allow ${name}: ${preview(about)}?`,
    choices: [...DECISIONS],
    approval: { tool: name, arguments: shownArguments(given) },
  };
}

/**
 * Where the path of a call leads, said in the question if that is elsewhere than it reads. A hook may have a person asked
 * about the call's result, or about another path.
 */
async function ledTo(
  at: CallKey,
  { call, plan, asks }: { call: ToolCall; plan: Plan | undefined; asks: Pick<Question, 'question'> },
  { store, tools, workspaceOf }: AskPersonPorts,
): Promise<Pick<Question, 'leadsTo'> & { question?: string }> {
  if (plan?.kind !== 'invoke' || tools === undefined || workspaceOf === undefined) return {};
  const asked = `Allow ${call.name}: ${preview(plan.subject)}`;
  if (!asks.question.startsWith(`${asked}?`)) return {};
  const opened = await store.opened(at.run);
  const leadsTo = opened && (await targetOf({ call, subject: plan.subject }, opened, { tools, workspaceOf }));
  if (leadsTo === undefined || !isElsewhere(plan.subject, leadsTo)) return {};
  const why = asks.question.slice(asked.length);
  return { leadsTo, question: `${asked}, which leads to ${preview(leadsTo)}${why}` };
}

/**
 * Stops the tree's clock.
 * @returns when its patience is used up
 */
async function pause(asked: Question, patience: Millis, { store, now }: AskPersonPorts): Promise<Instant> {
  const clock = await store.changeClock(asked.root, (current = freshClock(patience)) =>
    pauseFor(current, clockName(asked), now()),
  );
  return now() + patienceLeft(clock, now());
}
