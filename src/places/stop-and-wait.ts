import { envOption } from '../env-option.ts';
import { StoreError } from '../errors.ts';
import { isIn, OPEN } from '../core/records/phase.ts';
import type { Run } from '../core/records/run.ts';
import type { Environment } from './environment.ts';

/** How long the record of a stopped run may take to be closed; in an account an event has to come first. */
const CLOSING_MS = 30_000;

/**
 * Stops a run with everything below it, and waits until its record is closed.
 * @throws {ConfigError} if there is nothing to stop
 * @throws {StoreError} if the record is not closed in time
 */
export async function stopAndWait(run: Run, environment: Environment, by: string | undefined): Promise<Run> {
  const after = await environment.stop(run, 'stopped by the user', by);
  const ended = await environment.ended(run.id, { after, signal: AbortSignal.timeout(CLOSING_MS) });
  if (!isIn(OPEN, ended) && ended.holder >= after.holder) return ended;
  throw new StoreError(
    `run "${run.id}" was stopped, but its record is not closed yet; see: cadre show ${run.id}${envOption(environment.name)}`,
  );
}
