import { CLOSING_MS } from '../../core/events/tree-event.ts';
import type { Top, TreeRecords } from '../../core/events/records.ts';
import type { TreeReader } from '../../core/events/tree-reader.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { Run } from '../../core/records/run.ts';

export interface LookingPorts {
  store: RunStore;
  /** Whether the tree of this root, which has not ended, has a carrier. */
  isCarriedOut(root: string): Promise<boolean>;
  /** Milliseconds between two looks at the store for writes of others. */
  pollMs: number;
  /** Whether this process carries out the tree of this root. */
  carries: (root: string) => boolean;
  /** The clock by which records are written. */
  now: () => number;
}

/** A tree as it was read. */
export interface Look {
  top: Top;
  records: TreeRecords;
  /** It has no carrier any more, although it has not ended. */
  isAbandoned: boolean;
}

/** A look, and what follows from it. */
interface Looked extends Omit<Look, 'top'> {
  hasNews: boolean;
  /** Milliseconds until the next look is due. */
  wait: number;
}

/** This process's part in a tree since it was last looked at. */
export interface OwnNews {
  /** Runs that this process has written about, with their records where they were written. */
  changed: Map<string, Run | undefined>;
  /** Runs whose models are heard. */
  heard: Set<string>;
}

/** Those for whom a tree is looked at. */
interface Watching {
  takeNews(): OwnNews;
  /** Whether a viewer wants answers in progress, which is noted for other processes. */
  isWatched(): boolean;
}

/** Milliseconds between two looks if this process carries the tree, so that others hardly ever write. */
const CARRIED_POLL_MS = 100;

/** The share of time that may be spent on looking: large trees take longer to read. */
const LOOKING = 0.1;

/** How long a watcher's note stays valid, and how often it is renewed. */
const WATCHED_MS = 15_000;
const NOTE_MS = 5_000;

/** How often to check that the tree still has a carrier. */
const CARRIED_MS = 500;

/** @returns a function that looks at the runs that are due, and says when the next look is */
export function createLooking(
  top: Top,
  reader: TreeReader,
  { takeNews, isWatched }: Watching,
  { store, isCarriedOut, pollMs, carries, now }: LookingPorts,
): (isAsked: boolean) => Promise<Looked> {
  let lookAt = 0;
  let askAt = 0;
  let noteAt = 0;
  return async (isAsked) => {
    const time = performance.now();
    const isHere = carries(top.root);
    let isAbandoned = false;
    let hasNews = false;
    if (isAsked || time >= lookAt) {
      // Asked first: a run that ends in between is then read as ended, and never as abandoned.
      if (time >= askAt) {
        askAt = time + CARRIED_MS;
        isAbandoned = !(await isCarriedOut(top.root));
      }
      const began = performance.now();
      hasNews = await reader.read();
      const ended = performance.now();
      lookAt = ended + Math.max(isHere ? CARRIED_POLL_MS : pollMs, (ended - began) / LOOKING);
    }
    const { changed, heard } = takeNews();
    if (changed.size > 0 && (await reader.refresh(changed))) hasNews = true;
    if (heard.size > 0) hasNews = true;
    for (const run of heard) reader.hear(run);
    const { records } = reader;
    const run = records.runs.get(top.id)?.run;
    const isOver = run !== undefined && !isIn(UNDER_WAY, run);
    isAbandoned &&= [...records.runs.values()].some((each) => isIn(UNDER_WAY, each.run));
    const isNoted = !isHere && run !== undefined && isWatched();
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
