import type { LookedAtRuns } from '../../../places/kept-runs.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { findRun, runNotFound } from './find-run.ts';

/**
 * `cadre kill`: ends a sub-agent's run with everything below it for good, while the rest of its tree goes on.
 * @returns the exit code
 * @param word which run: see findRun
 * @throws {ConfigError} if there is no such run, it is at the top of its tree, or it has ended for good
 */
export async function killRun(word: string, kept: LookedAtRuns | undefined, io: Io): Promise<number> {
  if (kept === undefined) throw runNotFound(word);
  const killed = await kept.kill(await findRun(word, kept.runs));
  io.stderr(`killed ${killed.join(', ')}\n`);
  return EXIT.success;
}
