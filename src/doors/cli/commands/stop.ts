import { isRedriven } from '../../../core/lifecycle/redriven.ts';
import { OPEN, isIn } from '../../../core/records/phase.ts';
import { ConfigError } from '../../../errors.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { findRun, runNotFound } from './find-run.ts';
import type { Io } from '../terminal/io.ts';
import type { LookedAtRuns } from '../../../places/kept-runs.ts';
import { untilClosed } from '../../../places/until-closed.ts';

/**
 * `cadre stop`: stops a run with everything below it, and waits until its record is closed. A sub-agent's is stopped
 * alone: its caller learns of it.
 * @returns the exit code
 * @param word which run: see findRun
 * @throws {ConfigError} if there is no such run, it has ended, or it is idle
 */
export async function stopRun(word: string, kept: LookedAtRuns | undefined, io: Io): Promise<number> {
  if (kept === undefined) throw runNotFound(word);
  const run = await findRun(word, kept.runs);
  const { id } = run;
  if (!isIn(OPEN, run) && !(await isRedriven(run, kept))) {
    throw new ConfigError(`run "${id}" has ended: its status is ${run.status}`);
  }
  await kept.stop(run);
  const ended = await untilClosed(run, kept.runs);
  io.stderr(`run "${id}" has ended: ${ended.status}\n`);
  return EXIT.success;
}
