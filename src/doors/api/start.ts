import { ConfigError } from '../../errors.ts';
import type { RunRequest } from '../../core/records/request.ts';
import type { Run } from '../../core/records/run.ts';
import type { NewRun } from '../../places/environment.ts';
import { DayLimitError, KeyInUseError, PausedError, StartingError } from '../../places/environment-errors.ts';
import { faultOf } from './agents.ts';
import type { ApiContext } from './context.ts';
import { Problem } from './problem.ts';
import { maySee } from './subject.ts';
import { ownerOf } from '../../core/records/owner.ts';

/** The request as its caller's own. */
export function ownRequest(request: RunRequest, { caller }: ApiContext): RunRequest {
  return caller === undefined ? request : { ...request, ...ownerOf(caller) };
}

/**
 * Starts a run for a client, to whom it belongs.
 * @throws {Problem} 404 if the id is that of a run of others; 409 if its key stands for something else, or another
 *   process is about to start the run; 422 if the agent cannot be run like this; 429 where a limit per day has nothing left; 503 while everything is paused
 */
export async function startRun(wanted: NewRun, context: ApiContext): Promise<Run> {
  const run = await start({ ...wanted, request: ownRequest(wanted.request, context) }, context);
  if (maySee(run, context)) return run;
  throw new Problem(404, `no run ${JSON.stringify(run.id)}`);
}

async function start(run: NewRun, { environment }: ApiContext): Promise<Run> {
  try {
    return await environment.start(run);
  } catch (thrown) {
    if (thrown instanceof KeyInUseError || thrown instanceof StartingError) {
      throw new Problem(409, thrown.message);
    }
    if (thrown instanceof DayLimitError) throw new Problem(429, thrown.message);
    if (thrown instanceof PausedError) throw new Problem(503, thrown.message);
    if (thrown instanceof ConfigError) {
      throw new Problem(422, faultOf(thrown));
    }
    throw thrown;
  }
}
