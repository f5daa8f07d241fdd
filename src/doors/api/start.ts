import { ConfigError } from '../../errors.ts';
import type { Run } from '../../core/records/run.ts';
import type { NewRun } from '../../places/environment.ts';
import { KeyInUseError, PausedError, StartingError } from '../../places/environment-errors.ts';
import { faultOf } from './agents.ts';
import type { ApiContext } from './context.ts';
import { Problem } from './problem.ts';

/**
 * Starts a run for a client.
 * @throws {Problem} 409 if its key stands for something else, or another process is about to start the run; 422 if the
 *   agent cannot be run like this; 503 while everything is paused
 */
export async function startRun(run: NewRun, { environment }: ApiContext): Promise<Run> {
  try {
    return await environment.start(run);
  } catch (thrown) {
    if (thrown instanceof KeyInUseError || thrown instanceof StartingError) {
      throw new Problem(409, thrown.message);
    }
    if (thrown instanceof PausedError) throw new Problem(503, thrown.message);
    if (thrown instanceof ConfigError) {
      throw new Problem(422, faultOf(thrown));
    }
    throw thrown;
  }
}
