import {
  begunEvent,
  callFinishedEvent,
  callIdentity,
  callStartedEvent,
  pieceEvent,
  questionAnsweredEvent,
  questionAskedEvent,
  turnFinishedEvent,
  turnStartedEvent,
} from './event.ts';
import type { AskedQuestion } from '../records/question.ts';
import type { Run } from '../records/run.ts';
import {
  beginning,
  forgetClosedBelow,
  isClosed,
  questionKey,
  type Position,
  type Positions,
} from './positions.ts';
import type { CallEnd, RunRecords, TreeRecords, TurnRecords } from './records.ts';
import { CLOSING_MS, MAX_PIECE_CHARACTERS, type ToldEvent, type TreeEvent } from './tree-event.ts';

/** A tree as its events are told. */
export interface TreeInOrder extends TreeRecords {
  /** By the run that each was made from, in the order of the tree; with sub-agents that go on after their calls. */
  forks: ReadonlyMap<string, readonly RunRecords[]>;
  /** Where the forks are in the tree, and the sub-agents that have gone on. */
  forkPaths: ReadonlySet<string>;
}

/** The state that telling the events of a turn takes. */
export interface Telling {
  positions: Positions;
  /** Whether answers are told while they are being written. */
  pieces: boolean;
  /**
   * Tells an event at its place in the run.
   * @param advance called once all of it has been told
   * @param advancePartly called once this many of its parts have
   */
  tell(
    position: Position,
    event: TreeEvent,
    advance: () => void,
    advancePartly?: (parts: number) => void,
  ): Generator<ToldEvent>;
  /** Tells of a run that a call started. */
  run(records: RunRecords, tree: TreeInOrder): Generator<ToldEvent>;
}

/** Tells of the turns of runs, one after another, with the events of their calls. */
export function createTurnTeller({ positions, pieces, tell, run }: Telling) {
  return turn;

  /** @returns whether all of the turn has been told */
  function* turn(records: RunRecords, position: Position, tree: TreeInOrder): Generator<ToldEvent, boolean> {
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
    yield* aboutText(records, position);
    if (position.told === 1) {
      const isVoid = position.askedAt > 0 && position.askedAt !== askedAt;
      const before = position.askedAt > 0 && { before: { characters: position.written, isVoid } };
      yield* tell(position, { at, event: turnFinishedEvent(own, made.turn), ...before }, () =>
        Object.assign(position, { told: 2, written: 0, askedAt: 0 }),
      );
      positions.delete(questionKey(own, { turn: made.turn.number, call: 0 }));
    }
    if (!(yield* calls(records, made, position, tree))) return false;
    // What its earlier sub-agents do from now on is told beside it.
    const before = turns[position.turn - 2];
    const mayHaveCalled = before !== undefined && (before.turn.number === 0 || before.children.length > 0);
    if (mayHaveCalled) forgetClosedBelow(own, position.turn, positions, tree.forkPaths);
    Object.assign(position, { turn: position.turn + 1, told: 0, begun: new Set(), ended: new Set() });
    return true;
  }

  /** A turn whose answer is being written, or never came. */
  function* unanswered(records: RunRecords, position: Position): Generator<ToldEvent> {
    const { run: own, draft, withheld } = records;
    const begun = [draft, withheld, own.begun].find((one) => one?.turn === position.turn);
    if (begun === undefined) return;
    if (position.told === 0) {
      yield* tell(position, { at: begun.at, event: begunEvent(own, begun) }, () => (position.told = 1));
    }
    yield* aboutText(records, position);
    if (!pieces || draft === undefined || begun !== draft) return;
    // The answer of a second attempt is told with the end of the turn.
    if (position.askedAt > 0 && position.askedAt !== draft.at) return;
    while (position.written < draft.text.length) {
      const to = Math.min(draft.text.length, position.written + MAX_PIECE_CHARACTERS);
      const before = { characters: position.askedAt > 0 ? position.written : -1, isVoid: false };
      const text = draft.text.slice(position.written, to);
      const event = pieceEvent(own, { turn: draft.turn, kind: 'text', text });
      const advance = () => Object.assign(position, { written: to, askedAt: draft.at });
      // The first part of several opens the message.
      const open = () => void (position.askedAt = draft.at);
      yield* tell(position, { at: draft.at, event, before }, advance, open);
    }
  }

  /**
   * The beginnings and ends of calls, in the order in which they happened, and between the two everything that happened
   * because of the call.
   * @returns whether all have ended
   */
  function* calls(
    { run: own, turns }: RunRecords,
    made: TurnRecords,
    position: Position,
    tree: TreeInOrder,
  ): Generator<ToldEvent, boolean> {
    const { begun, ended } = position;
    const next = turns[position.turn]?.turn;
    const isOver = next !== undefined && tree.at - Date.parse(next.at) > CLOSING_MS;
    const belowOf = (index: number) => {
      const child = made.children[index];
      // A fork goes on after the call that started it.
      const isAwaited = made.turn.plans[index]?.kind !== 'start';
      return child === undefined || !isAwaited ? undefined : tree.runs.get(child);
    };
    function* within(index: number): Generator<ToldEvent> {
      const below = belowOf(index);
      yield* question(own, made.questions[index]);
      if (below !== undefined) yield* run(below, tree);
    }

    for (const { index, at, end } of stepsOf(made, position)) {
      const call = made.turn.answer.calls[index];
      if (call === undefined) continue;
      if (end === undefined) {
        const event = callStartedEvent(own, callIdentity(made.turn, index + 1), call);
        yield* tell(position, { at, event }, () => begun.add(index + 1));
        continue;
      }
      yield* within(index);
      const below = belowOf(index);
      if (below !== undefined && !isClosed(below.run, positions) && !isOver) continue;
      const event = callFinishedEvent(own, callIdentity(made.turn, index + 1), end);
      yield* tell(position, { at, event }, () => {
        ended.add(index + 1);
        positions.delete(questionKey(own, { turn: made.turn.number, call: index + 1 }));
      });
    }
    for (const call of begun) if (!ended.has(call)) yield* within(call - 1);
    return ended.size === made.ends.length;
  }

  /** The question whether the text of a turn may be shown, before that is. */
  function* aboutText(
    { run: own, aboutTexts }: RunRecords,
    { turn: at, told }: Position,
  ): Generator<ToldEvent> {
    if (told === 1) yield* question(own, aboutTexts?.get(at));
  }

  /** A question to a person, and the answer, independent of other events. */
  function* question(own: Run, of: AskedQuestion | undefined): Generator<ToldEvent> {
    if (of === undefined) return;
    const { question: asked, answer } = of;
    const place = questionKey(own, asked);
    const position = positions.get(place) ?? beginning();
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

interface CallStep {
  index: number;
  at: number;
  /** Absent: it begins. */
  end?: CallEnd;
}

/** The known events of a turn's calls that have not been told, in the order of time. */
function stepsOf({ turn, begins, ends }: TurnRecords, { begun, ended }: Position): CallStep[] {
  const steps = begins.flatMap((at, index): CallStep[] => {
    const end = ends[index];
    return [
      ...(at === undefined || begun.has(index + 1) ? [] : [{ index, at }]),
      ...(at === undefined || end === undefined || ended.has(index + 1) ? [] : [{ index, at: end.at, end }]),
    ];
  });
  // Within a millisecond: what begins with the end of the turn, then call by call.
  const isLater = ({ index, end }: CallStep) => end !== undefined || turn.plans[index]?.kind === 'invoke';
  return steps.sort(
    (one, other) =>
      one.at - other.at || Number(isLater(one)) - Number(isLater(other)) || one.index - other.index,
  );
}
