import { closedEvent, contextEvents, openedEvent } from './event.ts';
import { UNDER_WAY, isIn } from '../records/phase.ts';
import {
  BEGINNING,
  forgetOpenQuestions,
  isClosed,
  toCursor,
  type Position,
  type Positions,
} from './positions.ts';
import type { RunRecords, Top, TreeRecords } from './records.ts';
import { createTurnTeller } from './tell-turn.ts';
import { CLOSING_MS, type ToldEvent, type TreeEvent } from './tree-event.ts';

/**
 * Lists what happens in a tree, from its records alone: a list that is made later is the same as one made live,
 * except for pieces of answers that are being written. Within a run the order is always the same: its opening; of
 * each turn the begin, the end, the begins of its calls and, as calls have them, their ends; its end. What happens in a
 * run stands between the begin and the end of the call that asked for it, and so does what a person is asked because of
 * a call. Runs that are at work at once, and questions that are open at once, are told as they go on.
 */
export interface Teller {
  /** How far it has got. */
  readonly positions: Positions;
  /** What is new. A caller that stops in between continues there the next time. */
  news(records: TreeRecords): Generator<ToldEvent>;
  /** The holder that closed the top, once that has been told; 0 until then. */
  closedBy(): number;
}

/** @param positions where to continue; changed as events are told */
export function createTeller(top: Top, positions: Positions = new Map()): Teller {
  function* tell(
    position: Position,
    event: TreeEvent,
    advance: () => void,
    advancePartly = (parts: number) => void (position.sent = parts),
  ): Generator<ToldEvent> {
    const skip = position.sent;
    let isTold = false;
    const finish = () => {
      if (isTold) return;
      isTold = true;
      position.sent = 0;
      advance();
    };
    yield {
      ...event,
      ...(skip > 0 && { skip }),
      cursor(parts) {
        if (parts === undefined) finish();
        else advancePartly(parts);
        return toCursor(top.id, positions);
      },
    };
    finish();
  }

  const turn = createTurnTeller({ positions, tell, run });

  function* run(records: RunRecords, tree: TreeRecords): Generator<ToldEvent> {
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
      yield* tell(position, { at, event, ...unfinished }, () => {
        position.closedBy = closed.holder;
        forgetOpenQuestions(closed, positions);
        // Where the run goes on, the turn begins anew.
        if (position.told === 1) Object.assign(position, { told: 0, written: 0, askedAt: 0 });
      });
    }
  }

  function* opening({ run: opened, opened: context }: RunRecords, position: Position): Generator<ToldEvent> {
    const at = Date.parse(opened.startedAt);
    if (position.closedBy > 0 && (isIn(UNDER_WAY, opened) || opened.holder > position.closedBy)) {
      // It was told to have ended, and has been resumed.
      const again = { at: Date.parse(opened.resumedAt ?? opened.startedAt), event: openedEvent(opened) };
      yield* tell(position, again, () => (position.closedBy = 0));
    }
    if (position.turn > 0) return;
    // Both are written at once. A run that has ended without it was never opened.
    const isWhole = context !== undefined || !isIn(UNDER_WAY, opened);
    const events = [openedEvent(opened), ...contextEvents(opened, context ?? {})];
    for (const [index, event] of events.entries()) {
      if (index < position.told) continue;
      yield* tell(position, { at, event }, () => {
        position.told += 1;
        if (index === events.length - 1 && isWhole) Object.assign(position, { turn: 1, told: 0 });
      });
    }
    if (position.told >= events.length && isWhole) Object.assign(position, { turn: 1, told: 0 });
  }

  /** What happens in the forks of a run, each from the call that starts it. */
  function* forks(records: RunRecords, position: Position, tree: TreeRecords): Generator<ToldEvent> {
    for (const fork of forksOf(records, position, tree)) yield* run(fork, tree);
  }

  /** Everything below a run is told before its end, unless it has been left open. */
  function mayClose(records: RunRecords, position: Position, tree: TreeRecords): boolean {
    const { run: own, turns } = records;
    if (isIn(UNDER_WAY, own)) return false;
    const children = turns[position.turn - 1]?.children.slice(position.ended) ?? [];
    const below = children.flatMap((id) => (id === undefined ? [] : (tree.runs.get(id) ?? [])));
    const isAnyOpen = [...below, ...forksOf(records, position, tree)].some(
      (child) => !isClosed(child.run, positions),
    );
    return !isAnyOpen || tree.at - Date.parse(own.endedAt ?? own.startedAt) > CLOSING_MS;
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
