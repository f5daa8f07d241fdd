import { isHeldBack, type Plan } from './plan.ts';
import type { BegunTurn, Run } from './run.ts';
import { toSpans, type Interval, type Span, type SpanKind } from './spans.ts';
import type { Instant } from './times.ts';
import { isFinal, type Turn } from './turn.ts';

/** The facts of a run's record that tell how it spent its time. */
export type TimedRun = Pick<
  Run,
  'begun' | 'endedAt' | 'failure' | 'gaps' | 'resumedAt' | 'startedAt' | 'workedMs'
>;

/** The calls of the newest turn, in call order. */
export interface OpenCalls {
  /** Moments; undefined: not yet, or not known. */
  begins: readonly (Instant | undefined)[];
  ends: readonly ({ at: Instant } | undefined)[];
  /** The questions to people because of them. */
  questions: readonly ({ question: { askedAt: string }; answer?: { at: string } | undefined } | undefined)[];
}

/** What is known of a run beside its record and its turns. */
export interface RunFacts {
  calls?: OpenCalls | undefined;
  /** The turn that its model is asked for. */
  asked?: Pick<BegunTurn, 'turn' | 'at'> | undefined;
}

/**
 * How a run has spent its time, from its start to its end, or until now: its spans lie end to end.
 * @param now absent: it has ended
 */
export function timelineOf(
  run: TimedRun,
  turns: readonly Turn[],
  now: Instant = Date.parse(run.startedAt),
  facts: RunFacts = {},
): Span[] {
  const start = Date.parse(run.startedAt);
  const end = Math.max(start, run.endedAt === undefined ? now : Date.parse(run.endedAt));
  const made = turns.flatMap((turn, index) => intervalsOf(turn, turns[index - 1], start));
  return toSpans([...gapsOf(run), ...made, ...underWay(run, turns, end, facts)], start, end);
}

/** The times between executions. Those that the record does not list are known by their sum. */
function gapsOf({ startedAt, resumedAt, workedMs = 0, gaps = [] }: TimedRun): Interval[] {
  if (resumedAt === undefined) return [];
  const listed = gaps.map(([kind, from, to]) => ({ kind, from, to }));
  const start = Date.parse(startedAt);
  let at = Date.parse(resumedAt);
  let missing = at - start - workedMs - listed.reduce((sum, { from, to }) => sum + to - from, 0);
  const others: Interval[] = [];
  // Gaps that are not listed may have been anywhere: the newest times without a gap stand for them.
  for (const { from, to } of [...listed.toReversed(), { from: start, to: start }]) {
    const length = Math.max(0, Math.min(missing, at - to));
    others.push({ kind: 'gap', from: at - length, to: at });
    missing -= length;
    at = from;
  }
  return [...listed, ...others];
}

/** From the turn before, or the start, up to the answer of a turn. */
function intervalsOf(turn: Turn, before: Turn | undefined, start: Instant): Interval[] {
  const answeredAt = Date.parse(turn.at);
  const askedAt = answeredAt - turn.latencyMs;
  const from = before === undefined ? start : Date.parse(before.at);
  const waited = turn.waited === undefined ? guessed(before, from, askedAt) : laid(turn.waited, from);
  // Until the request that was answered, others had failed, or a summary was written.
  const isAskedOften = turn.retries !== undefined || turn.compaction?.summary?.turn === turn.number;
  const since = isAskedOften ? Math.max(from, ...waited.map(({ to }) => to)) : askedAt;
  return [...waited, { kind: 'model', from: since, to: answeredAt }];
}

function laid(spans: readonly Span[], start: Instant): Interval[] {
  let at = start;
  return spans.map(([kind, ms]) => ({ kind, from: at, to: (at += ms) }));
}

/** Turns of earlier releases do not say how long their calls took: all time between two turns counts as theirs. */
function guessed(turn: Turn | undefined, from: Instant, to: Instant): Interval[] {
  return (turn?.plans ?? []).flatMap((plan) => waitFor(plan) ?? []).map((kind) => ({ kind, from, to }));
}

/** What a call keeps its run waiting for, once it is approved. */
function waitFor(plan: Plan): SpanKind | undefined {
  switch (plan.kind) {
    case 'invoke':
      return 'tool';
    case 'delegate':
      return 'agents';
    case 'wait':
      return 'messages';
    case 'ask':
      return 'person';
    case 'start':
    case 'done':
      return undefined;
  }
}

/** After the newest turn: its calls, and the request for the next one. */
function underWay(
  { endedAt, failure, begun, resumedAt = '', startedAt }: TimedRun,
  turns: readonly Turn[],
  end: Instant,
  { calls, asked = begun }: RunFacts,
): Interval[] {
  const newest = turns.at(-1);
  const hasCalls = newest !== undefined && !isFinal(newest) && newest.exceeded === undefined;
  const open = hasCalls ? callsOf(newest, calls, end) : [];
  const isSettled = open.every(({ isOver }) => isOver);
  const settledAt = Math.max(Date.parse(newest?.at ?? startedAt), ...open.map(({ to }) => to));
  const hasAnswered = newest !== undefined && isFinal(newest) && resumedAt <= newest.at;
  const isForModel = endedAt === undefined ? !hasAnswered : failure?.error === 'ModelError';
  const askedAt = asked?.turn === turns.length + 1 ? asked.at : undefined;
  const since = isForModel && isSettled ? settledAt : askedAt;
  return since === undefined ? open : [...open, { kind: 'model', from: since, to: end }];
}

/** The waits for the calls of the newest turn: those that are not known to be over go on until the end. */
function callsOf(
  { at, plans }: Turn,
  { begins, ends, questions }: OpenCalls = { begins: [], ends: [], questions: [] },
  end: Instant,
): (Interval & { isOver: boolean })[] {
  const madeAt = Date.parse(at);
  return plans.flatMap((plan, index) => {
    const kind = waitFor(plan);
    const asked = questions[index];
    if (kind === undefined) return [];
    const over = ends[index]?.at;
    const until = { to: over ?? end, isOver: over !== undefined };
    const isBegun = over !== undefined || asked !== undefined;
    if (!isBegun && isHeldBack(plans, index, (other) => ends[other] !== undefined)) return [];
    if (asked === undefined) return { kind, from: begins[index] ?? madeAt, ...until };
    const askedAt = Date.parse(asked.question.askedAt);
    const decidedAt = asked.answer === undefined ? until.to : Date.parse(asked.answer.at);
    const ofPerson = { ...until, kind: 'person' as const, from: askedAt, to: decidedAt };
    return plan.kind === 'ask' ? ofPerson : [ofPerson, { kind, from: decidedAt, ...until }];
  });
}
