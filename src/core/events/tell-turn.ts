import {
  begunEvent,
  callFinishedEvent,
  callStartedEvent,
  identityOf,
  questionAnsweredEvent,
  questionAskedEvent,
  turnFinishedEvent,
  turnStartedEvent,
  type CallIdentity,
  type RunEvent,
} from './event.ts';
import type { Run } from '../records/run.ts';
import { BEGINNING, forgetRun, isClosed, questionPlace, type Position, type Positions } from './positions.ts';
import type { RunRecords, TreeRecords, TurnRecords } from './records.ts';
import { CLOSING_MS, type ToldEvent, type TreeEvent } from './tree-event.ts';

/** What it takes to tell what happened in a turn. */
export interface Telling {
  positions: Positions;
  /**
   * Tells of an event from where its run has got to.
   * @param advance called once all of it has been told
   * @param advancePartly called once so many of its parts have
   */
  tell(
    position: Position,
    event: TreeEvent,
    advance: () => void,
    advancePartly?: (parts: number) => void,
  ): Generator<ToldEvent>;
  /** Tells of a run that a call started. */
  run(records: RunRecords, tree: TreeRecords): Generator<ToldEvent>;
}

/** Tells of the turns of runs, one after another, with what happens because of their calls. */
export function createTurnTeller({ positions, tell, run }: Telling) {
  return turn;

  /** @returns whether all of the turn has been told */
  function* turn(records: RunRecords, position: Position, tree: TreeRecords): Generator<ToldEvent, boolean> {
    const { run: own, turns } = records;
    const made = turns[position.turn - 1];
    if (made === undefined) {
      yield* unanswered(records, position);
      return false;
    }
    const at = Date.parse(made.turn.at);
    const askedAt = at - made.turn.latencyMs;
    if (position.told === 0) {
      yield* tell(position, { at: askedAt, event: turnStartedEvent(own, made.turn) }, () => {
        position.told = 1;
      });
    }
    if (position.told === 1) {
      const isVoid = position.askedAt > 0 && position.askedAt !== askedAt;
      const before = position.askedAt > 0 && { before: { characters: position.written, isVoid } };
      yield* tell(position, { at, event: turnFinishedEvent(own, made.turn), ...before }, () =>
        Object.assign(position, { told: 2, written: 0, askedAt: 0 }),
      );
    }
    const { calls } = made.turn.answer;
    for (const [index, call] of calls.entries()) {
      if (index < position.begun) continue;
      const event = callStartedEvent(own, identify(made, index), call);
      yield* tell(position, { at, event }, () => (position.begun += 1));
    }
    if (!(yield* ends(records, made, position, tree))) return false;
    Object.assign(position, { turn: position.turn + 1, told: 0, begun: 0, ended: 0 });
    return true;
  }

  /** A turn whose answer is being written, or never came. */
  function* unanswered({ run: own, draft }: RunRecords, position: Position): Generator<ToldEvent> {
    const begun = draft?.turn === position.turn ? draft : own.begun;
    if (begun?.turn !== position.turn) return;
    if (position.told === 0) {
      yield* tell(position, { at: begun.at, event: begunEvent(own, begun) }, () => (position.told = 1));
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
    const advance = () => Object.assign(position, { written: draft.text.length, askedAt: draft.at });
    // The first part of several opens the message.
    const open = () => void (position.askedAt = draft.at);
    yield* tell(position, { at: draft.at, event, before }, advance, open);
  }

  /** The ends of calls, each after all that happened in the run that it started. @returns whether all have ended */
  function* ends(
    { run: own, turns }: RunRecords,
    made: TurnRecords,
    position: Position,
    tree: TreeRecords,
  ): Generator<ToldEvent, boolean> {
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
      const isOpen = below !== undefined && !isClosed(below.run, positions);
      const end = made.ends[index];
      areAll &&= end !== undefined && (!isOpen || isOver);
      if (!areAll || end === undefined) continue;
      const event = callFinishedEvent(own, identify(made, index), end);
      yield* tell(position, { at: end.at, event }, () => {
        position.ended += 1;
        positions.delete(questionPlace(own, { turn: made.turn.number, call: index + 1 }));
        if (below !== undefined) forgetRun(below.run, positions);
      });
    }
    return areAll;
  }

  /** What a person is asked because of a call, and the answer, whatever becomes of other calls meanwhile. */
  function* question(own: Run, made: TurnRecords, index: number): Generator<ToldEvent> {
    const { question: asked, answer } = made.questions[index] ?? {};
    if (asked === undefined) return;
    const place = questionPlace(own, asked);
    const position = positions.get(place) ?? { ...BEGINNING };
    positions.set(place, position);
    if (position.told === 0) {
      const event = { at: Date.parse(asked.askedAt), event: questionAskedEvent(own, asked) };
      yield* tell(position, event, () => (position.told = 1));
    }
    if (position.told === 1 && answer !== undefined) {
      const event = { at: Date.parse(answer.at), event: questionAnsweredEvent(own, asked, answer) };
      yield* tell(position, event, () => (position.told = 2));
    }
  }
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
