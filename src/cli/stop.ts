import { setTimeout as delay } from 'node:timers/promises';
import type { RunStore } from '../conversation/ports.ts';
import type { Run } from '../conversation/run.ts';
import { ConfigError, StoreError, messageOf } from '../errors.ts';
import { EXIT } from './exit-code.ts';
import { findRun, runNotFound } from './find-run.ts';
import type { Io } from './io.ts';
import type { LookedAtRuns } from './kept-runs.ts';

/** How long the record of a stopped run may take to be closed; in an account an event has to come first. */
const CLOSING_MS = 30_000;
const POLL_MS = 100;

/**
 * `cadre stop`: stops a run with everything below it, and waits until its record is closed.
 * @returns the exit code
 * @throws {ConfigError} if there is no such run, it has ended, or it cannot be stopped from here
 */
export async function stopRun(id: string, kept: LookedAtRuns | undefined, io: Io): Promise<number> {
  if (kept === undefined) throw runNotFound(id);
  const run = await findRun(id, kept.runs);
  if (run.status !== 'running') throw new ConfigError(`run "${id}" has ended: it is ${run.status}`);
  if (kept.stop === undefined) await interrupt(run, kept);
  else await kept.stop(run.execution, 'stopped by the user');
  const ended = await untilClosed(id, kept.runs);
  io.stderr(`run "${id}" is ${ended.status}\n`);
  return EXIT.success;
}

/**
 * A local run is stopped by the process that carries it out: as by Ctrl-C, or by a request where that process serves
 * the API, and carries out others besides.
 */
async function interrupt(run: Run, kept: LookedAtRuns): Promise<void> {
  const pid = await kept.holder(run.root);
  const api = pid === undefined ? undefined : await kept.api(pid);
  if (api !== undefined) return request(`${api}/runs/${run.id}/stop`);
  if (run.parent !== undefined) {
    throw new ConfigError(
      `"${run.id}" is a sub-agent's run; stop the whole tree with: cadre stop ${run.root}`,
    );
  }
  if (pid === undefined) {
    throw new ConfigError(`run "${run.id}" is not carried out any more; go on with: cadre resume ${run.id}`);
  }
  process.kill(pid, 'SIGINT');
}

async function request(url: string): Promise<void> {
  try {
    const { ok, status } = await fetch(url, { method: 'POST' });
    if (!ok) throw new StoreError(`${url} answered ${status}`);
  } catch (error) {
    throw new StoreError(`the server that carries the run out did not stop it: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function untilClosed(id: string, runs: RunStore): Promise<Run> {
  for (let waited = 0; waited < CLOSING_MS; waited += POLL_MS) {
    const run = await runs.run(id);
    if (run !== undefined && run.status !== 'running') return run;
    await delay(POLL_MS);
  }
  throw new StoreError(`run "${id}" was stopped, but its record is not closed yet; see: cadre show ${id}`);
}
