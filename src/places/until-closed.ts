import { setTimeout as delay } from 'node:timers/promises';
import { StoreError } from '../errors.ts';
import type { RunStore } from '../core/records/ports.ts';
import { OPEN, isIn } from '../core/records/phase.ts';
import type { Run } from '../core/records/run.ts';

/** How long the record of a stopped run may take to be closed; in an account an event has to come first. */
const CLOSING_MS = 30_000;
const POLL_MS = 100;

/**
 * Waits until the record of a run that was stopped is closed.
 * @param known the record as it was before; one that was closed then, of a redriven execution, is closed once more
 * @throws {StoreError} if that takes too long
 */
export async function untilClosed(known: Run, runs: RunStore): Promise<Run> {
  const { id, holder } = known;
  for (let waited = 0; waited < CLOSING_MS; waited += POLL_MS) {
    const run = await runs.run(id);
    if (run !== undefined && !isIn(OPEN, run) && (isIn(OPEN, known) || run.holder > holder)) return run;
    await delay(POLL_MS);
  }
  throw new StoreError(`run "${id}" was stopped, but its record is not closed yet; see: cadre show ${id}`);
}
