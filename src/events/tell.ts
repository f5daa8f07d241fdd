import {
  begunEvent,
  callFinishedEvent,
  callStartedEvent,
  closedEvent,
  contextEvents,
  identityOf,
  openedEvent,
  questionAnsweredEvent,
  questionAskedEvent,
  turnFinishedEvent,
  turnStartedEvent,
  type CallIdentity,
  type RunEvent,
} from '../runs/event.ts';
import { questionId, type Question } from '../runs/question.ts';
import { BEGINNING, type Position, type Positions } from './positions.ts';
import type { RunRecords, Top, TreeRecords, TurnRecords } from './records.ts';
import { isUnderWay, type Run } from '../runs/run.ts';

/** Something that happened in a tree. */
export interface TreeEvent {
  /** Milliseconds since 1970. */
  at: number;
  event: RunEvent;
  /** With the end of a turn, or a piece of its answer: how much of that answer was told while it was being written. */
  before?: {
    characters: number;
    /** Whether the attempt that it was part of failed, so that none of it counts. */
    isVoid: boolean;
  };
  /** With the end of a run: the turn that was told to have begun and never ends, and whether part of its answer was. */
  unfinished?: { turn: number; isWriting: boolean };
}

/**
 * Lists what happens in a tree, from its records alone: a list that is made later is the same as one made live,
 * except for pieces of answers that are being written. Within a run the order is always the same: its opening; of
 * each turn the begin, the end, the begins of its calls and, as calls have them, their ends; its end. What happens in a
 * run stands between the begin and the end of the call that asked for it, and so does what a person is asked because of
 * a call. Runs that are at work at once, and questions that are open at once, are told as they go on.
 */
export interface Teller<Part> {
  /** How far it has got; whenever it yields a part, that part is included. */
  readonly positions: Positions;
  /** What is new. A caller that stops in between continues there the next time. */
  news(records: TreeRecords): Generator<Part>;
  /** The holder that closed the top, once that has been told; 0 until then. */
  closedBy(): number;
}

/** How long the end of a tree waits for the records of its runs to be closed. */
export const CLOSING_MS = 30_000;

/**
 * @param toParts what is told of each event, in order; always the same for the same event
 * @param positions where to continue
 */
export function createTeller<Part>(
  top: Top,
  toParts: (event: TreeEvent) => readonly Part[],
  positions: Positions = new Map(),
): Teller<Part> {
  function* parts(position: Position, event: TreeEvent, advance: () => void): Generator<Part> {
    const all = toParts(event).slice(position.sent);
    for (const [index, part] of all.entries()) {
      if (index === all.length - 1) break;
      position.sent += 1;
      yield part;
    }
    position.sent = 0;
    advance();
    const last = all.at(-1);
    if (last !== undefined) yield last;
  }

  function* run(records: RunRecords, tree: TreeRecords): Generator<Part> {
    const position = positions.get(records.run.path) ?? { ...BEGINNING };
    positions.set(records.run.path, position);
    yield* opening(records, position);
    if (position.turn === 0 || position.closedBy > 0) return;
    while (yield* turn(records, position, tree));
    yield* forks(records, position, tree);
    if (mayClose(records, position, tree)) {
      const { run: closed, turns } = records;
      const event = closedEvent(
        closed,
        turns.map((made) => made.turn),
      );
      const at = Date.parse(closed.endedAt ?? closed.startedAt);
      const unfinished = position.told === 1 && {
        unfinished: { turn: position.turn, isWriting: position.askedAt > 0 },
      };
      yield* parts(position, { at, event, ...unfinished }, () => {
        position.closedBy = closed.holder;
        forgetOpenQuestions(closed);
        // Where the run goes on, the turn begins anew.
        if (position.told === 1) Object.assign(position, { told: 0, written: 0, askedAt: 0 });
      });
    }
  }

  function* opening({ run: opened, opened: context }: RunRecords, position: Position): Generator<Part> {
    const at = Date.parse(opened.startedAt);
    if (position.closedBy > 0 && (isUnderWay(opened) || opened.holder > position.closedBy)) {
      // It was told to have ended, and has been resumed.
      const again = { at: Date.parse(opened.resumedAt ?? opened.startedAt), event: openedEvent(opened) };
      yield* parts(position, again, () => (position.closedBy = 0));
    }
    if (position.turn > 0) return;
    // Both are written at once. A run that has ended without it was never opened.
    const isWhole = context !== undefined || !isUnderWay(opened);
    const events = [openedEvent(opened), ...contextEvents(opened, context ?? {})];
    for (const [index, event] of events.entries()) {
      if (index < position.told) continue;
      yield* parts(position, { at, event }, () => {
        position.told += 1;
        if (index === events.length - 1 && isWhole) Object.assign(position, { turn: 1, told: 0 });
      });
    }
    if (position.told >= events.length && isWhole) Object.assign(position, { turn: 1, told: 0 });
  }

  /** @returns whether all of the turn has been told */
  function* turn(records: RunRecords, position: Position, tree: TreeRecords): Generator<Part, boolean> {
    const { run: own, turns } = records;
    const made = turns[position.turn - 1];
    if (made === undefined) {
      yield* unanswered(records, position);
      return false;
    }
    const at = Date.parse(made.turn.at);
    const askedAt = at - made.turn.latencyMs;
    if (position.told === 0) {
      yield* parts(position, { at: askedAt, event: turnStartedEvent(own, made.turn) }, () => {
        position.told = 1;
      });
    }
    if (position.told === 1) {
      const isVoid = position.askedAt > 0 && position.askedAt !== askedAt;
      const before = position.askedAt > 0 && { before: { characters: position.written, isVoid } };
      yield* parts(position, { at, event: turnFinishedEvent(own, made.turn), ...before }, () =>
        Object.assign(position, { told: 2, written: 0, askedAt: 0 }),
      );
    }
    const { calls } = made.turn.answer;
    for (const [index, call] of calls.entries()) {
      if (index < position.begun) continue;
      const event = callStartedEvent(own, identify(made, index), call);
      yield* parts(position, { at, event }, () => (position.begun += 1));
    }
    if (!(yield* ends(records, made, position, tree))) return false;
    Object.assign(position, { turn: position.turn + 1, told: 0, begun: 0, ended: 0 });
    return true;
  }

  /** A turn whose answer is being written, or never came. */
  function* unanswered({ run: own, draft }: RunRecords, position: Position): Generator<Part> {
    const begun = draft?.turn === position.turn ? draft : own.begun;
    if (begun?.turn !== position.turn) return;
    if (position.told === 0) {
      yield* parts(position, { at: begun.at, event: begunEvent(own, begun) }, () => (position.told = 1));
    }
    if (begun !== draft || draft.text.length <= position.written) return;
    // The answer of a second attempt is told with the end of the turn.
    if (position.askedAt > 0 && position.askedAt !== draft.at) return;
    const before = { characters: position.askedAt > 0 ? position.written : -1, isVoid: false };
    const event: RunEvent = {
      type: 'message_delta',
      ...identityOf(own),
      turn: draft.turn,
      kind: 'text',
      text: draft.text.slice(position.written),
    };
    const told = toParts({ at: draft.at, event, before });
    for (const [index, part] of told.entries()) {
      // The first part of several opens the message.
      if (index === told.length - 1) position.written = draft.text.length;
      position.askedAt = draft.at;
      yield part;
    }
  }

  /** The ends of calls, each after all that happened in the run that it started. @returns whether all have ended */
  function* ends(
    { run: own, turns }: RunRecords,
    made: TurnRecords,
    position: Position,
    tree: TreeRecords,
  ): Generator<Part, boolean> {
    const next = turns[position.turn]?.turn;
    const isOver = next !== undefined && tree.at - Date.parse(next.at) > CLOSING_MS;
    let areAll = true;
    for (const [index, child] of made.children.entries()) {
      if (index < position.ended) continue;
      // A fork goes on after the call that started it.
      const isAwaited = made.turn.plans[index]?.kind !== 'start';
      const below = child === undefined || !isAwaited ? undefined : tree.runs.get(child);
      yield* question(own, made, index);
      if (below !== undefined) yield* run(below, tree);
      const isOpen = below !== undefined && !isClosed(below);
      const end = made.ends[index];
      areAll &&= end !== undefined && (!isOpen || isOver);
      if (!areAll || end === undefined) continue;
      const event = callFinishedEvent(own, identify(made, index), end);
      yield* parts(position, { at: end.at, event }, () => {
        position.ended += 1;
        positions.delete(questionPlace(own, { turn: made.turn.number, call: index + 1 }));
        if (below !== undefined) forget(below.run.path);
      });
    }
    return areAll;
  }

  /** What a person is asked because of a call, and the answer, whatever becomes of other calls meanwhile. */
  function* question(own: Run, made: TurnRecords, index: number): Generator<Part> {
    const { question: asked, answer } = made.questions[index] ?? {};
    if (asked === undefined) return;
    const place = questionPlace(own, asked);
    const position = positions.get(place) ?? { ...BEGINNING };
    positions.set(place, position);
    if (position.told === 0) {
      const event = { at: Date.parse(asked.askedAt), event: questionAskedEvent(own, asked) };
      yield* parts(position, event, () => (position.told = 1));
    }
    if (position.told === 1 && answer !== undefined) {
      const event = { at: Date.parse(answer.at), event: questionAnsweredEvent(own, asked, answer) };
      yield* parts(position, event, () => (position.told = 2));
    }
  }

  /** A run that goes on after its end asks again what was open. */
  function forgetOpenQuestions({ path }: Run): void {
    for (const [place, { told }] of positions) {
      if (told === 1 && place.startsWith(`${path}?`)) positions.delete(place);
    }
  }

  /** What happens in the forks of a run, each from the call that starts it. */
  function* forks(records: RunRecords, position: Position, tree: TreeRecords): Generator<Part> {
    for (const fork of forksOf(records, position, tree)) yield* run(fork, tree);
  }

  /** Everything below a run is told before its end, unless it has been left open. */
  function mayClose(records: RunRecords, position: Position, tree: TreeRecords): boolean {
    const { run: own, turns } = records;
    if (isUnderWay(own)) return false;
    const children = turns[position.turn - 1]?.children.slice(position.ended) ?? [];
    const below = children.flatMap((id) => (id === undefined ? [] : (tree.runs.get(id) ?? [])));
    const isAnyOpen = [...below, ...forksOf(records, position, tree)].some((child) => !isClosed(child));
    return !isAnyOpen || tree.at - Date.parse(own.endedAt ?? own.startedAt) > CLOSING_MS;
  }

  /** A run that has been told to its end, and all below it. */
  function forget(path: string): void {
    for (const known of positions.keys()) {
      if (known === path || known.startsWith(`${path}_`)) positions.delete(known);
    }
  }

  function isClosed({ run: own }: RunRecords): boolean {
    return (positions.get(own.path)?.closedBy ?? 0) > 0;
  }

  return {
    positions,
    *news(tree) {
      const records = tree.runs.get(top.id);
      if (records !== undefined) yield* run(records, tree);
    },
    closedBy: () => positions.get(top.path)?.closedBy ?? 0,
  };
}

/** Beside the paths of runs: how far a question has been told. */
function questionPlace({ path }: Run, { turn, call }: Pick<Question, 'turn' | 'call'>): string {
  return `${path}?${questionId({ turn, call })}`;
}

/** Those of which the calls that start them have been told. */
function forksOf({ turns }: RunRecords, { turn, begun }: Position, tree: TreeRecords): RunRecords[] {
  return turns.slice(0, turn).flatMap((made, index) =>
    made.children.flatMap((id, call) => {
      const isTold = index + 1 < turn || call < begun;
      const isFork = isTold && made.turn.plans[call]?.kind === 'start';
      return id === undefined || !isFork ? [] : (tree.runs.get(id) ?? []);
    }),
  );
}

function identify({ turn }: TurnRecords, index: number): CallIdentity {
  const plan = turn.plans[index];
  return {
    turn: turn.number,
    call: index + 1,
    tool: turn.answer.calls[index]?.name ?? '',
    kind: plan?.kind ?? 'done',
    subject:
      plan?.kind === 'invoke'
        ? plan.subject
        : plan?.kind === 'delegate' || plan?.kind === 'start'
          ? plan.agent
          : '',
  };
}
