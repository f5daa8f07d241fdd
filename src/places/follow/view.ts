import { setTimeout as delay } from 'node:timers/promises';
import {
  forkPaths,
  hasGoneOn,
  isClosed,
  isPast,
  mayHaveGoneOn,
  type Positions,
} from '../../core/events/positions.ts';
import type { Top } from '../../core/events/records.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import { createTreeReader, type TreeReader } from '../../core/events/tree-reader.ts';
import type { Run } from '../../core/records/run.ts';
import { isLive, type LiveEvent } from '../../core/events/live.ts';
import { runOf } from '../../core/events/write.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';
import type { Feed, News } from './feed.ts';
import { createLooking, type Look, type LookingPorts, type OwnNews } from './looking.ts';

export interface ViewPorts extends Omit<LookingPorts, 'carries' | 'now'> {
  /** This process's own events; absent: nothing. */
  feed?: Feed | undefined;
  /** Absent: it carries none. */
  carries?: LookingPorts['carries'] | undefined;
  /** Absent: the system's clock. */
  now?: LookingPorts['now'] | undefined;
  /** Marks work during which virtual time stands still; absent: time is real. */
  during?: ((work: Promise<void>) => unknown) | undefined;
}

/** One who follows a tree. */
export interface Viewer {
  /** Waits for a look that this viewer has not had. @throws what looking at the store has failed with */
  next(): Promise<Look>;
  /** Wakes one who waits, with the look that there is. */
  wake(): void;
  /** Has the store looked at once more. */
  readNow(): Promise<Look>;
  leave(): void;
}

export interface ViewerOptions {
  /** Whether what a model writes is of interest, which is noted for other processes. */
  live: boolean;
  /** Called with events that are heard in this process, before a look shows it. */
  hear(event: LiveEvent): void;
}

/** A tree and its viewers: however many there are, it is read once. */
export interface TreeView {
  join(options: ViewerOptions): Viewer;
}

/** Milliseconds between two looks at a store in this folder, and at one in an account, which charges for each look. */
export const LOCAL_POLL_MS = 20;
export const CLOUD_POLL_MS = 1_000;

/**
 * Everything that happens in this many milliseconds for each run is told together: a follower of a tree goes through
 * all of its runs.
 */
const MS_PER_RUN = 0.01;

/** A run and everything below it, with what has been read of it. */
export interface OpenedTree {
  top: Top;
  reader: TreeReader;
}

/**
 * @param id of the run at the top, which may have no record yet
 * @param from earlier records are not read
 * @param answerOf the answer that is being written in a run, where that can be heard
 */
export async function openTree(
  id: string,
  from: Positions | undefined,
  { store, feed, now = Date.now }: Pick<ViewPorts, 'store' | 'feed' | 'now'>,
  answerOf = (run: string) => feed?.answer(run),
): Promise<OpenedTree> {
  const known = await store.run(id);
  const top: Top = { id, root: known?.root ?? id, path: known?.path ?? '' };
  const wanted = new Set<string>();
  const wantedOf = (runs: Run[]) => {
    if (from === undefined) return runs;
    const forks = forkPaths(runs);
    for (const run of runs) {
      const isTold = isPast(run, from, forks);
      const mayGoOn = mayHaveGoneOn(run, top, from);
      // A run that continues after its call has more to tell than its end.
      if (!isTold || isIn(UNDER_WAY, run) || mayGoOn) wanted.add(run.id);
      // Its caller tells whether it was after its call.
      if (isTold && mayGoOn && run.parent !== undefined) wanted.add(run.parent.run);
    }
    return runs.filter(({ id: each }) => wanted.has(each));
  };
  const reader = createTreeReader(top, store, loadOwnTools, now, {
    wantedOf,
    ...(from !== undefined && { toldOf: (run: Run) => toldOf(run, from) }),
    answerOf,
  });
  return { top, reader };
}

/** The turn of a run up to which its events were told; 0 where its end is to be told, with an answer that may be older. */
function toldOf(run: Run, from: Positions): number {
  const isEndTold = isClosed(run, from) && !hasGoneOn(run, from);
  return isIn(UNDER_WAY, run) || isEndTold ? (from.get(run.path)?.turn ?? 0) : 0;
}

/**
 * @param id of the run at the top
 * @param open gives the tree, which may have been read before
 * @param left called once the last viewer has left
 */
export function createView(
  id: string,
  open: () => Promise<OpenedTree>,
  { store, isCarriedOut, pollMs, feed, carries = () => false, now = Date.now, during }: ViewPorts,
  left: () => void,
): TreeView {
  const viewers = new Set<{ options: ViewerOptions; seen: number; wake: () => void }>();
  let own: OwnNews = { changed: new Map(), heard: new Set() };
  const reads: { resolve: (look: Look) => void; reject: (thrown: unknown) => void }[] = [];
  const stop = new AbortController();
  let newest: { look: Look; number: number } | undefined;
  let fault: { thrown: unknown } | undefined;
  let wakeUp = () => {};
  let isAwake = false;
  /** Set while there are events that have not been told yet. */
  let tellDone: (() => void) | undefined;
  const unlisten = feed?.listen(id, hear);

  function rouse(): void {
    isAwake = true;
    wakeUp();
  }

  function takeNews(): OwnNews {
    const taken = own;
    own = { changed: new Map(), heard: new Set() };
    return taken;
  }

  function hear(news: News): void {
    const { changed, heard } = own;
    if (isLive(news)) {
      heard.add(news.run);
      for (const { options } of viewers) options.hear(news);
    } else if (news.type === 'run') changed.set(news.after.id, news.after);
    else if (!changed.has(runOf(news))) changed.set(runOf(news), undefined);
    if (tellDone === undefined) during?.(new Promise((resolve) => (tellDone = resolve)));
    rouse();
  }

  function publish(look: Look): void {
    newest = { look, number: (newest?.number ?? 0) + 1 };
    for (const { wake } of viewers) wake();
  }

  async function watch(): Promise<void> {
    const { top, reader } = await open();
    const isWatched = () => [...viewers].some(({ options }) => options.live);
    const watching = { takeNews, isWatched };
    const look = createLooking(top, reader, watching, { store, isCarriedOut, pollMs, carries, now });
    while (!stop.signal.aborted) {
      isAwake = false;
      const asked = reads.splice(0);
      const { hasNews, wait, ...seen } = await look(asked.length > 0);
      if (hasNews || newest === undefined) publish({ top, ...seen });
      for (const { resolve } of asked) resolve({ top, ...seen });
      const together = Math.floor(MS_PER_RUN * seen.records.runs.size);
      if (hasNews && together > 0) await delay(together);
      if (isAwake) continue;
      done();
      await pause(wait);
    }
  }

  async function pause(ms: number): Promise<void> {
    const over = new AbortController();
    const woken = new Promise<void>((resolve) => (wakeUp = resolve));
    await Promise.race([woken, delay(Math.max(1, ms), undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
  }

  function done(): void {
    tellDone?.();
    tellDone = undefined;
  }

  function fail(thrown: unknown): void {
    fault = { thrown };
    end();
    for (const { reject } of reads.splice(0)) reject(thrown);
    for (const { wake } of viewers) wake();
  }

  function end(): void {
    stop.abort();
    unlisten?.();
    left();
    done();
    rouse();
  }

  void watch().catch(fail);

  return {
    join(options) {
      const viewer = { options, seen: 0, wake: () => {} };
      viewers.add(viewer);
      // Its wish may be a new one.
      rouse();
      let isWoken = false;
      return {
        async next() {
          for (;;) {
            if (fault !== undefined) throw fault.thrown;
            if (newest !== undefined && (isWoken || newest.number > viewer.seen)) {
              isWoken = false;
              viewer.seen = newest.number;
              return newest.look;
            }
            await new Promise<void>((resolve) => (viewer.wake = resolve));
          }
        },
        wake() {
          isWoken = true;
          viewer.wake();
        },
        readNow: () =>
          new Promise((resolve, reject) => {
            if (fault !== undefined) return reject(fault.thrown);
            reads.push({ resolve, reject });
            rouse();
          }),
        leave() {
          viewers.delete(viewer);
          if (viewers.size === 0 && !stop.signal.aborted) end();
        },
      };
    },
  };
}
