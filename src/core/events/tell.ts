import { closedEvent, contextEvents, openedEvent } from './event.ts';
import { UNDER_WAY, isIn } from '../records/phase.ts';
import { carriedSince, isAhead, isBeside, type Run } from '../records/run.ts';
import {
  beginning,
  forgetOpenQuestions,
  hasGoneOn,
  hasOutlivedCaller,
  isCallTold,
  isClosed,
  isLeftBehind,
  isPast,
  toCursor,
  type Position,
  type Positions,
} from './positions.ts';
import type { RunRecords, Top, TreeRecords } from './records.ts';
import type { Instant } from '../records/times.ts';
import { toldWithCall } from './told-with-call.ts';
import { createTurnTeller, type TreeInOrder } from './tell-turn.ts';
import { CLOSING_MS, type ToldEvent, type TreeEvent } from './tree-event.ts';

/**
 * Lists the events of a tree, from its records alone: a list that is made later is the same as one made live, except
 * for pieces of answers that are being written. Within a run the order is always the same: its opening; of each turn
 * the begin, the end, the begins of its calls and, as calls have them, their ends; its end. The events of a run stand
 * between the begin and the end of the call that asked for it, and so does a person's question because of a call. Runs
 * that are at work at once, and questions that are open at once, are told as they go on.
 */
export interface Teller {
  /** How far it has got. */
  readonly positions: Positions;
  /** The new events. A caller that stops in between continues there the next time. */
  news(records: TreeRecords): Generator<ToldEvent>;
}

/**
 * @param positions where to continue; changed as events are told
 * @param pieces whether answers are told while they are being written; absent: they are
 */
export function createTeller(
  top: Top,
  positions: Positions = new Map(),
  { pieces = true }: { pieces?: boolean } = {},
): Teller {
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

  const turn = createTurnTeller({ positions, pieces, tell, run });

  function* run(records: RunRecords, tree: TreeInOrder): Generator<ToldEvent> {
    // Its execution is still to come, and may bring another model.
    if (isAhead(records.run) && isIn(UNDER_WAY, records.run)) return;
    const position = positions.get(records.run.path) ?? firstPosition(records, tree);
    positions.set(records.run.path, position);
    yield* opening(records, position);
    if (position.turn === 0) return;
    const isClosedBefore = position.closedBy !== undefined;
    if (!isClosedBefore) while (yield* turn(records, position, tree));
    for (const fork of forksOf(records, position, tree)) yield* run(fork, tree);
    if (!isClosedBefore && mayClose(records, position, tree)) yield* closing(records, position);
  }

  /** Whether a run may be told beside its caller: a fork, or a sub-agent that may have more to tell. */
  function hasMore(own: Run, forks: ReadonlySet<string>): boolean {
    return isBeside(own) || positions.has(own.path) || forks.has(own.path) || isIn(UNDER_WAY, own);
  }

  /**
   * Whether a run is told beside its caller: a fork, or a sub-agent with more to tell although the end of its call, or
   * of its caller, has been told.
   */
  function isToldBeside(own: Run, forks: ReadonlySet<string>): boolean {
    if (isBeside(own)) return true;
    return hasMore(own, forks) && (isCallTold(own, positions, forks) || isLeftBehind(own, positions));
  }

  /**
   * The forks of a run that are told by now: those whose calls have been told to begin, and those that a person made,
   * which belong to no call, once the turn that they were made from has been told.
   */
  function forksOf(
    { run: of, turns }: RunRecords,
    { turn: at, begun }: Position,
    tree: TreeInOrder,
  ): RunRecords[] {
    return (tree.forks.get(of.id) ?? []).filter(({ run: one }) => {
      const { parent } = one;
      if (parent === undefined || parent.turn > at || !isToldBeside(one, tree.forkPaths)) return false;
      const isOfCall = parent.call <= (turns[parent.turn - 1]?.children.length ?? 0);
      return parent.turn < at || (isOfCall && begun.has(parent.call));
    });
  }

  /** Of a sub-agent that continues after its call, everything but what was told with the call. */
  function firstPosition({ run: own, turns }: RunRecords, tree: TreeInOrder): Position {
    if (own.id === top.id) return { ...beginning(), seenAt: tree.at };
    if (isBeside(own) || !isCallTold(own, positions, tree.forkPaths)) return beginning();
    const position = toldWithCall(own, turns, goesOnSince(own, tree) ?? carriedSince(own));
    // If it was redriven, sub-agents of that turn may have gone on before its own record said so: they have more to tell.
    for (const { run: below, turns: made } of begunAgainBy(own, position.turn, tree)) {
      position.ended.delete(below.parent?.call ?? 0);
      const isKnown = below.resumedAt !== undefined;
      if (isKnown) positions.set(below.path, toldWithCall(below, made, carriedSince(below)));
    }
    return position;
  }

  function* opening({ run: opened, opened: context }: RunRecords, position: Position): Generator<ToldEvent> {
    const at = Date.parse(opened.startedAt);
    const { closedBy } = position;
    if (closedBy !== undefined && (isIn(UNDER_WAY, opened) || hasGoneOn(opened, positions))) {
      // It was told to have ended, and has been resumed, or ended once more.
      const again = { at: Date.parse(opened.resumedAt ?? opened.startedAt), event: openedEvent(opened) };
      yield* tell(position, again, () =>
        Object.assign(position, { closedBy: undefined, closedSince: 0, wasIdle: false }),
      );
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

  function* closing({ run: closed, turns }: RunRecords, position: Position): Generator<ToldEvent> {
    const event = closedEvent(
      closed,
      turns.map((made) => made.turn),
    );
    const at = Date.parse(closed.endedAt ?? closed.startedAt);
    const unfinished = position.told === 1 && {
      unfinished: { turn: position.turn, isWriting: position.askedAt > 0 },
    };
    yield* tell(position, { at, event, ...unfinished }, () => {
      const wasIdle = closed.status === 'idle';
      Object.assign(position, { closedBy: closed.holder, closedSince: carriedSince(closed), wasIdle });
      forgetOpenQuestions(closed, positions);
      // Where the run goes on, the turn begins anew.
      if (position.told === 1) Object.assign(position, { told: 0, written: 0, askedAt: 0 });
    });
  }

  /** Everything below a run is told before its end, unless it has been left open. */
  function mayClose(records: RunRecords, position: Position, tree: TreeInOrder): boolean {
    const { run: own, turns } = records;
    if (isIn(UNDER_WAY, own)) return false;
    const made = turns[position.turn - 1]?.children ?? [];
    const below = made.flatMap((id, index) =>
      id === undefined || position.ended.has(index + 1) ? [] : (tree.runs.get(id) ?? []),
    );
    const isAnyOpen = [...below, ...forksOf(records, position, tree)].some(
      (child) => !isClosed(child.run, positions),
    );
    return !isAnyOpen || tree.at - Date.parse(own.endedAt ?? own.startedAt) > CLOSING_MS;
  }

  return {
    positions,
    *news(read) {
      const all = [...read.runs.values()];
      const goOn = all.filter(
        ({ run: one }) =>
          isBeside(one) ||
          hasGoneOn(one, positions) ||
          hasOutlivedCaller(one, positions) ||
          goesOnSince(one, read) !== undefined,
      );
      const paths = new Set(goOn.map(({ run: one }) => one.path));
      // Of one whose caller has gone on as well, that is known only once the caller is told.
      const beside = all.filter(({ run: one }) => hasMore(one, paths));
      const tree = { ...read, forks: byParent(beside), forkPaths: paths };
      const records = tree.runs.get(top.id);
      if (records !== undefined) yield* run(records, tree);
      // They go on even after the call has ended below which they were started.
      for (const [id, forks] of tree.forks) {
        const parent = tree.runs.get(id);
        if (parent !== undefined && !isPast(parent.run, positions, tree.forkPaths)) continue;
        for (const fork of forks) {
          if (fork.run.id !== top.id && isToldBeside(fork.run, paths)) yield* run(fork, tree);
        }
      }
      const position = positions.get(top.path);
      if (position !== undefined) position.seenAt = read.at;
    },
  };
}

/** The sub-agents of a turn that the present execution of a run has begun, which is not its first. */
function begunAgainBy({ id, holder }: Run, turn: number, { runs }: TreeRecords): RunRecords[] {
  const isOne = ({ parent, parentHolder }: Run) =>
    parent?.run === id && parent.turn === turn && parentHolder === holder;
  return holder === 1 ? [] : [...runs.values()].filter(({ run }) => isOne(run));
}

function byParent(all: readonly RunRecords[]): Map<string, RunRecords[]> {
  const forks = new Map<string, RunRecords[]>();
  for (const records of all) {
    const { parent } = records.run;
    if (parent === undefined) continue;
    const known = forks.get(parent.run);
    if (known === undefined) forks.set(parent.run, [records]);
    else known.push(records);
  }
  return forks;
}

/**
 * Since when a sub-agent has continued after its call, for a message: by then its caller had made the next turn, or had
 * ended without one. This may have happened several times.
 * @returns undefined if it has not
 */
function goesOnSince(run: Run, { runs }: TreeRecords): Instant | undefined {
  const { parent, gaps = [] } = run;
  const caller = parent && runs.get(parent.run);
  const next = parent && caller?.turns[parent.turn]?.turn;
  const endedAt =
    next === undefined && caller && !isIn(UNDER_WAY, caller.run) ? caller.run.endedAt : undefined;
  // Nothing is known of a turn that was told before.
  const overAt = next !== undefined && next.number > 0 ? next.at : endedAt;
  if (overAt === undefined) return undefined;
  return [...gaps.map(([, , to]) => to), carriedSince(run)].find((at) => at > Date.parse(overAt));
}
