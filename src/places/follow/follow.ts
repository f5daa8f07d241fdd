import type { Instant } from '../../core/records/times.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { callName } from '../../core/records/call.ts';
import { callIdentity, callOutputEvent, pieceEvent } from '../../core/events/event.ts';
import type { LiveEvent } from '../../core/events/live.ts';
import { isAnyGoingOn, stateOf } from '../../core/events/going-on.ts';
import { forgetAllOpenQuestions, isClosed, toCursor, type Positions } from '../../core/events/positions.ts';
import type { TreeRecords } from '../../core/events/records.ts';
import { createTeller, type Teller } from '../../core/events/tell.ts';
import { MAX_PIECE_CHARACTERS, type ToldEvent, type TreeEvent } from '../../core/events/tree-event.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import { waitsForPeople } from '../../core/reports/run-waits.ts';
import type { Run } from '../../core/records/run.ts';
import { isToGoOn } from '../until-rested.ts';
import type { Look } from './looking.ts';
import { createView, openTree, type OpenedTree, type TreeView, type ViewPorts } from './view.ts';

export interface FollowOptions {
  /** The positions of events told before, which stay as they are; absent: none. */
  from?: Positions | undefined;
  /** Also events that no record holds, if they can be heard here; and a note about this watcher for other processes. */
  live?: boolean | undefined;
  signal: AbortSignal;
  /**
   * When to stop without being told: `rest`, once no run is under way or the tree has no carrier any more; `pause`,
   * then, or once only people's answers can make anything continue; or a promise, once it is settled and everything
   * that the store had by then has been told. Absent: never.
   */
  until?: 'rest' | 'pause' | Promise<unknown> | undefined;
}

/** Tells the events of trees, in any carrier. */
export interface Follow {
  /** @param run with everything below it; may have no record yet, if it is the top of its tree */
  follow(run: string, options: FollowOptions): AsyncIterable<ToldEvent>;
  /** The same as records: a look whenever any of them has changed. */
  look(run: Pick<Run, 'id'>, signal: AbortSignal): AsyncIterable<Look>;
  /**
   * How far a run and everything below it have come. Nothing before that is told again except open questions: a process
   * that carries the tree has them answered.
   */
  told(run: string): Promise<Positions>;
}

export function createFollow(ports: ViewPorts): Follow {
  const { store, feed, pollMs, now = Date.now } = ports;
  const shared = new Map<string, TreeView>();
  /** Trees that were read to find how far they have come: who follows one from there need not read it again. */
  const readBefore = new WeakMap<Positions, () => OpenedTree>();

  /** Where all is read anyway, one view serves all who follow a tree. */
  function viewOf(run: string, from: Positions | undefined): TreeView {
    const known = shared.get(run);
    if (known !== undefined) return known;
    const isWhole = from === undefined || feed !== undefined;
    const open = async () =>
      (isWhole && from && readBefore.get(from)?.()) || openTree(run, isWhole ? undefined : from, ports);
    const view: TreeView = createView(run, open, ports, () => {
      if (shared.get(run) === view) shared.delete(run);
    });
    if (isWhole) shared.set(run, view);
    return view;
  }

  return {
    async *follow(run, { from, live = false, signal, until }) {
      const asides = createAsides(live, now);
      const viewer = viewOf(run, from).join({ live, hear: asides.hear });
      const onAbort = () => viewer.wake();
      signal.addEventListener('abort', onAbort);
      let isOver = false;
      if (until instanceof Promise) {
        void Promise.allSettled([until]).then(() => {
          isOver = true;
          viewer.wake();
        });
      }
      let teller: Teller | undefined;
      try {
        while (!signal.aborted) {
          const isLast = isOver;
          // What others have seen may be older than what this one asks for.
          const look = await (isLast || teller === undefined ? viewer.readNow() : viewer.next());
          if (signal.aborted) return;
          const { top, records, isAbandoned } = look;
          teller ??= createTeller(top, from && copyOf(from), { pieces: live });
          const { positions } = teller;
          yield* teller.news(records);
          for (const aside of asides.news(records)) {
            yield { ...aside, cursor: () => toCursor(top.id, positions) };
          }
          const stops = until === 'rest' || until === 'pause';
          if (isLast || (stops && isAbandoned)) return;
          if (until === 'pause' && waitsForPeople(records.runs.values())) return;
          if (!stops || !isAtRest(look, positions)) continue;
          // A message may have been answered since the tree was read.
          if (!(await isAnyDue(records, store)) && stateIn(await viewer.readNow()) === stateIn(look)) return;
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
        viewer.leave();
      }
    },

    async *look({ id }, signal) {
      // Answers that are being written are read from the records, too.
      const viewer = viewOf(id, undefined).join({ live: true, hear: () => {} });
      const onAbort = () => viewer.wake();
      signal.addEventListener('abort', onAbort);
      try {
        while (!signal.aborted) {
          const look = await viewer.next();
          if (signal.aborted) return;
          yield look;
          // No client draws a tree more often.
          await delay(pollMs, undefined, { signal }).catch(() => {});
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
        viewer.leave();
      }
    },

    async told(run) {
      // Followers that join now get the whole of an answer that is being written here.
      let isFollowed = false;
      const answerOf = (id: string) => (isFollowed ? feed?.answer(id) : undefined);
      const tree = await openTree(run, undefined, ports, answerOf);
      const { top, reader } = tree;
      await reader.read();
      const { news, positions } = createTeller(top);
      for (const _ of news(reader.records));
      forgetAllOpenQuestions(positions);
      readBefore.set(positions, () => {
        isFollowed = true;
        for (const id of reader.records.runs.keys()) reader.hear(id);
        return tree;
      });
      return positions;
    },
  };
}

/** The events that no record holds, until they are told. */
interface Asides {
  hear(event: LiveEvent): void;
  news(records: TreeRecords): Generator<TreeEvent>;
}

type Aside = Exclude<LiveEvent, { type: 'begun' }>;

function createAsides(live: boolean, now: () => Instant): Asides {
  const waiting: { at: number; aside: Aside }[] = [];
  /** How much has been told of the output of calls that other processes carry out. */
  const told = new Map<string, number>();
  return {
    hear(event) {
      // The list has the texts of answers.
      const isListed = event.type === 'begun' || (event.type === 'piece' && event.kind === 'text');
      if (!live || isListed) return;
      const last = waiting.at(-1);
      const merged = last && together(last.aside, event);
      if (last !== undefined && merged !== undefined) last.aside = merged;
      else waiting.push({ at: now(), aside: event });
    },
    *news({ runs }) {
      for (const { at, aside } of waiting.splice(0)) {
        const run = runs.get(aside.run)?.run;
        if (aside.type !== 'piece') yield { at, event: aside };
        else if (run !== undefined) yield { at, event: pieceEvent(run, aside) };
      }
      if (!live) return;
      for (const { run, turns, draft } of runs.values()) {
        const { turn, ends } = turns[(draft?.turn ?? 0) - 1] ?? {};
        const { output } = draft ?? {};
        if (turn === undefined || output === undefined || ends?.[output.call - 1] !== undefined) continue;
        const call = callIdentity(turn, output.call);
        const of = `${run.id} ${callName(call)}`;
        const news = output.length - (told.get(of) ?? 0);
        if (news <= 0) continue;
        told.set(of, output.length);
        yield { at: now(), event: callOutputEvent(run, call, output.text.slice(-news)) };
      }
    },
  };
}

/** Two pieces of one text as one, for a reader that is slow. */
function together(one: Aside, other: Aside): Aside | undefined {
  if (one.type === 'piece' && other.type === 'piece' && one.run === other.run && one.at === other.at) {
    const text = one.text + other.text;
    return text.length > MAX_PIECE_CHARACTERS ? undefined : { ...one, text };
  }
  if (one.type !== 'call_output' || other.type !== 'call_output') return undefined;
  if (one.run !== other.run || callName(one) !== callName(other)) return undefined;
  const text = one.text + other.text;
  return text.length > MAX_PIECE_CHARACTERS ? undefined : { ...one, text };
}

/** Whether nothing goes on in a tree, and all of it has been told. */
function isAtRest({ top, records }: Look, positions: Positions): boolean {
  const own = records.runs.get(top.id)?.run;
  if (own === undefined || isIn(UNDER_WAY, own) || !isClosed(own, positions)) return false;
  return !isAnyGoingOn(runsIn(records), records.at);
}

function runsIn({ runs }: TreeRecords): Run[] {
  return [...runs.values()].map(({ run }) => run);
}

/** Another state means that there is more to tell. */
function stateIn({ records }: Look): string {
  return stateOf(runsIn(records));
}

/** Whether a message is about to bring a run back: its execution may not have begun yet. */
async function isAnyDue(records: TreeRecords, store: ViewPorts['store']): Promise<boolean> {
  const due = await Promise.all(runsIn(records).map((run) => isToGoOn(run, store)));
  return due.includes(true);
}

function copyOf(positions: Positions): Positions {
  return new Map(
    [...positions].map(([path, position]) => [
      path,
      { ...position, begun: new Set(position.begun), ended: new Set(position.ended) },
    ]),
  );
}
