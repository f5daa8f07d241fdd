import { setTimeout as delay } from 'node:timers/promises';
import type { RunStore } from '../../runs/ports.ts';
import { isOpen, type Run } from '../../runs/run.ts';
import { ConfigError, StoreError } from '../../errors.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { findRun, runNotFound } from './find-run.ts';
import type { Io } from '../terminal/io.ts';
import type { LookedAtRuns } from '../../pipeline/kept-runs.ts';

/** How long the record of a stopped run may take to be closed; in an account an event has to come first. */
const CLOSING_MS = 30_000;
const POLL_MS = 100;

/**
 * `cadre stop`: stops a run with everything below it, and waits until its record is closed.
 * @returns the exit code
 * @param word which run: see findRun
 * @throws {ConfigError} if there is no such run, it has ended, or it cannot be stopped alone
 */
export async function stopRun(word: string, kept: LookedAtRuns | undefined, io: Io): Promise<number> {
  if (kept === undefined) throw runNotFound(word);
  const run = await findRun(word, kept.runs);
  const { id } = run;
  if (!isOpen(run)) throw new ConfigError(`run "${id}" has ended: it is ${run.status}`);
  await kept.stop(run);
  const ended = await untilClosed(id, kept.runs);
  io.stderr(`run "${id}" is ${ended.status}\n`);
  return EXIT.success;
}

async function untilClosed(id: string, runs: RunStore): Promise<Run> {
  for (let waited = 0; waited < CLOSING_MS; waited += POLL_MS) {
    const run = await runs.run(id);
    if (run !== undefined && !isOpen(run)) return run;
    await delay(POLL_MS);
  }
  throw new StoreError(`run "${id}" was stopped, but its record is not closed yet; see: cadre show ${id}`);
}
