import { setTimeout as delay } from 'node:timers/promises';
import { CLOSING_MS } from '../../core/events/tree-event.ts';
import { forkPaths, isPast, type Positions } from '../../core/events/positions.ts';
import type { Top, TreeRecords } from '../../core/events/records.ts';
import { createTreeReader, type TreeReader } from '../../core/events/tree-reader.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { Run } from '../../core/records/run.ts';
import { isLive, type LiveEvent } from '../../core/events/live.ts';
import { runOf } from '../../core/events/write.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';
import type { Feed, News } from './feed.ts';

export interface ViewPorts {
  store: RunStore;
  /** Whether the tree of this root, which has not ended, has a carrier. */
  isCarriedOut(root: string): Promise<boolean>;
  /** Milliseconds between two looks at the store for writes of others. */
  pollMs: number;
  /** This process's own events; absent: nothing. */
  feed?: Feed | undefined;
  /** Whether this process carries out the tree of this root. */
  carries?: ((root: string) => boolean) | undefined;
  /** The clock by which records are written; absent: the system's. */
  now?: (() => number) | undefined;
  /** Marks work during which no other time may go by; absent: time goes by anyway. */
  during?: ((work: Promise<void>) => unknown) | undefined;
}

/** A tree as it was read. */
export interface Look {
  top: Top;
  records: TreeRecords;
  /** It has no carrier any more, although it has not ended. */
  isAbandoned: boolean;
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

/** A tree that is looked at, for any number of viewers: however many there are, it is read once. */
export interface TreeView {
  join(options: ViewerOptions): Viewer;
}

/** Milliseconds between two looks at a store in this folder, and at one in an account, which charges for each look. */
export const LOCAL_POLL_MS = 20;
export const CLOUD_POLL_MS = 1_000;

/** The same where this process carries the tree, and others hardly ever write. */
const CARRIED_POLL_MS = 100;

/** The part of the time that may be spent on looking: large trees take longer to read. */
const LOOKING = 0.1;

/** All that happens in so many milliseconds for each run is told together: who follows a tree goes through its runs. */
const MS_PER_RUN = 0.01;

/** How long a watcher's note stays valid, and how often it is renewed. */
const WATCHED_MS = 15_000;
const NOTE_MS = 5_000;

/** How often to check that the tree still has a carrier. */
const CARRIED_MS = 500;

/**
 * @param id of the run at the top, which may have no record yet
 * @param from earlier records are not read
 * @param left called once the last viewer has left
 */
export function createView(
  id: string,
  from: Positions | undefined,
  { store, isCarriedOut, pollMs, feed, carries = () => false, now = Date.now, during }: ViewPorts,
  left: () => void,
): TreeView {
  const viewers = new Set<{ options: ViewerOptions; seen: number; wake: () => void }>();
  /** Runs that this process has written about since they were read, with their records where they were written. */
  const changed = new Map<string, Run | undefined>();
  const heard = new Set<string>();
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

  function hear(news: News): void {
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
    const known = await store.run(id);
    const top: Top = { id, root: known?.root ?? id, path: known?.path ?? '' };
    const wantedOf = (runs: Run[]) => {
      if (from === undefined) return runs;
      const forks = forkPaths(runs);
      return runs.filter((run) => !isPast(run, from, forks));
    };
    const reader = createTreeReader(top, store, loadOwnTools, now, {
      wantedOf,
      ...(feed !== undefined && { answerOf: (run: string) => feed.answer(run) }),
    });
    const look = createLooking(top, reader);
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

  /** @returns a function that looks at the runs that are due, and says when the next look is */
  function createLooking(top: Top, reader: TreeReader) {
    let lookAt = 0;
    let askAt = 0;
    let noteAt = 0;
    return async (isAsked: boolean): Promise<Omit<Look, 'top'> & { hasNews: boolean; wait: number }> => {
      const time = performance.now();
      // Asked first: a run that ends in between is then read as ended, and never as abandoned.
      let isAbandoned = false;
      if (time >= askAt) {
        askAt = time + CARRIED_MS;
        isAbandoned = !(await isCarriedOut(top.root));
      }
      const isHere = carries(top.root);
      let hasNews = false;
      if (isAsked || time >= lookAt) {
        const began = performance.now();
        hasNews = await reader.read();
        const ended = performance.now();
        lookAt = ended + Math.max(isHere ? CARRIED_POLL_MS : pollMs, (ended - began) / LOOKING);
      }
      const changes = new Map(changed);
      changed.clear();
      if (changes.size > 0 && (await reader.refresh(changes))) hasNews = true;
      if (heard.size > 0) hasNews = true;
      for (const run of heard) reader.hear(run);
      heard.clear();
      const { records } = reader;
      const run = records.runs.get(top.id)?.run;
      const isOver = run !== undefined && !isIn(UNDER_WAY, run);
      isAbandoned &&= [...records.runs.values()].some((each) => isIn(UNDER_WAY, each.run));
      const isNoted = !isHere && run !== undefined && [...viewers].some(({ options }) => options.live);
      if (isNoted && !isOver && time >= noteAt) {
        noteAt = time + NOTE_MS;
        // Without permission to write, a watcher sees everything but answers in progress.
        await store.watch(top.root, now() + WATCHED_MS).catch(() => (noteAt = Infinity));
      }
      // After the end of the top, each look counts: that end is held back for the runs below it, but not for ever.
      const mayBeHeld = isOver && now() - Date.parse(run.endedAt ?? run.startedAt) < 2 * CLOSING_MS;
      hasNews ||= isAbandoned || mayBeHeld;
      return { records, hasNews, isAbandoned, wait: lookAt - performance.now() };
    };
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
