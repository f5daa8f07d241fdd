import type { Environment } from '../../../places/environment.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { findRun } from './find-run.ts';

/**
 * `cadre kill`: ends a sub-agent's run with everything below it for good, while the rest of its tree goes on.
 * @returns the exit code
 * @param word which run: see findRun
 * @throws {ConfigError} if there is no such run, it is at the top of its tree, or it has ended for good
 */
export async function killRun(word: string, environment: Environment, io: RunIo): Promise<number> {
  const killed = await environment.kill(await findRun(word, environment), io.user);
  io.stderr(`killed ${killed.join(', ')}\n`);
  return EXIT.success;
}
