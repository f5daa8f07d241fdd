import { setTimeout as delay } from 'node:timers/promises';
import type { RunStore } from '../../core/records/ports.ts';
import { forkPaths, isPast, type Positions } from '../../core/events/positions.ts';
import { createTreeReader, type Top, type TreeRecords } from '../../core/events/records.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';

export interface PollPorts {
  store: RunStore;
  /** Whether anybody carries out the tree of this root, which has not ended. */
  isCarriedOut(root: string): Promise<boolean>;
  /** Milliseconds between two looks at the store. */
  pollMs: number;
}

/** A tree as it was read. */
export interface Look {
  records: TreeRecords;
  /** Nobody carries it out any more, although it has not ended. */
  isAbandoned: boolean;
}

/** Milliseconds between two looks at a store in this folder, and at one in an account, which charges for each look. */
export const LOCAL_POLL_MS = 20;
export const CLOUD_POLL_MS = 1_000;

/** How long a note that somebody is watching stays valid, and how often it is renewed. */
const WATCHED_MS = 15_000;
const NOTE_MS = 5_000;

/** How often to check that somebody still carries the tree out. */
const CARRIED_MS = 500;

/** Watchers get a sign of life at least this often. */
const QUIET_MS = 15_000;

/**
 * Looks at a tree again and again until the signal is aborted, and leaves its runs a note that somebody is watching.
 * @param top may not exist yet
 * @param from what comes before these positions is not read
 */
export async function* pollTree(
  top: Top,
  { store, isCarriedOut, pollMs }: PollPorts,
  signal: AbortSignal,
  from?: Positions,
): AsyncGenerator<Look> {
  const wantedOf = (runs: Run[]) => {
    const forks = forkPaths(runs);
    return runs.filter((run) => from === undefined || !isPast(run, from, forks));
  };
  const reader = createTreeReader(top, store, Date.now, { wantedOf });
  let noted = 0;
  let asked = 0;
  let told = 0;
  let mayWrite = true;
  while (!signal.aborted) {
    const now = Date.now();
    // Asked first: a run that ends in between is then read as ended, and never as abandoned.
    let isAbandoned = false;
    if (now - asked >= CARRIED_MS) {
      asked = now;
      isAbandoned = !(await isCarriedOut(top.root));
    }
    const hasNews = await reader.read();
    const run = reader.records.runs.get(top.id)?.run;
    const isOver = run !== undefined && !isIn(UNDER_WAY, run);
    if (!isOver && mayWrite && now - noted >= NOTE_MS) {
      noted = now;
      // Without permission to write, a watcher sees everything but answers in progress.
      await store.watch(top.root, now + WATCHED_MS).catch(() => (mayWrite = false));
    }
    // After the end of the top, each look counts: that end is held back for the runs below it, but not for ever.
    if (hasNews || isAbandoned || isOver || now - told >= QUIET_MS) {
      told = now;
      yield { records: reader.records, isAbandoned: isAbandoned && !isOver };
    }
    await delay(pollMs, undefined, { signal }).catch(() => {});
  }
}
