import { setTimeout as delay } from 'node:timers/promises';
import type { RunStore } from '../runs/ports.ts';
import type { Positions } from './positions.ts';
import { createTreeReader, type Top, type TreeRecords } from './records.ts';

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

/** How often a store is looked at that lies in this folder, and one that lies in an account and charges for each look. */
export const LOCAL_POLL_MS = 20;
export const CLOUD_POLL_MS = 1_000;

/** How long a note says that somebody watches, and how often it is left again. */
const WATCHED_MS = 15_000;
const NOTE_MS = 5_000;

/** How often it is asked whether anybody carries the tree out. */
const CARRIED_MS = 500;

/** Whoever looks on gets a sign of life at least so often. */
const QUIET_MS = 15_000;

/**
 * Looks at a tree again and again, until the signal is aborted, and tells its runs that somebody does.
 * @param top which need not be there yet
 * @param from what is behind these positions is not read
 */
export async function* pollTree(
  top: Top,
  { store, isCarriedOut, pollMs }: PollPorts,
  signal: AbortSignal,
  from?: Positions,
): AsyncGenerator<Look> {
  const reader = createTreeReader(top, store, Date.now, from);
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
    const isNew = await reader.read();
    const run = reader.records.runs.get(top.id)?.run;
    const isOver = run !== undefined && run.status !== 'running';
    if (!isOver && mayWrite && now - noted >= NOTE_MS) {
      noted = now;
      // Who may only read sees everything but the words of answers that are being written.
      await store.watch(top.root, now + WATCHED_MS).catch(() => (mayWrite = false));
    }
    // What has ended waits for what is below it.
    if (isNew || isAbandoned || isOver || now - told >= QUIET_MS) {
      told = now;
      yield { records: reader.records, isAbandoned: isAbandoned && !isOver };
    }
    await delay(pollMs, undefined, { signal }).catch(() => {});
  }
}
