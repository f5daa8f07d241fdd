import type { Environment } from '../../../places/environment.ts';
import { stopAndWait } from '../../../places/stop-and-wait.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { findRun } from './find-run.ts';

/**
 * `cadre stop`: stops a run with everything below it, and waits until its record is closed. A sub-agent's is stopped
 * alone: its caller learns of it.
 * @returns the exit code
 * @param word which run: see findRun
 * @throws {ConfigError} if there is no such run, it has ended, or it is idle
 */
export async function stopRun(word: string, environment: Environment, io: RunIo): Promise<number> {
  const run = await findRun(word, environment);
  const ended = await stopAndWait(run, environment, io.user);
  io.stderr(`run "${run.id}" has ended: ${ended.status}\n`);
  return EXIT.success;
}
