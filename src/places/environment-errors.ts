import { AgentError, ConfigError } from '../errors.ts';
import type { Run } from '../core/records/run.ts';

/** The caller's own key stands for another request. */
export class KeyInUseError extends ConfigError {
  /** @param run the run that was started with the key */
  constructor(readonly run: string) {
    super(`this Idempotency-Key belongs to another request, which started run "${run}"`);
  }
}

/** Another process is about to start the run, or ended while it was about to. */
export class StartingError extends ConfigError {}

/** Somebody has paused everything: nothing is started until it is unpaused (exit code 1). */
export class PausedError extends AgentError {}

/** A limit per day has nothing left (exit code 4). */
export class DayLimitError extends AgentError {}

/** Ignores that a run ended before it could be stopped. @throws every other error */
export function unlessEnded(thrown: unknown): void {
  if (!(thrown instanceof EndedError)) throw thrown;
}

/** There is nothing to stop. */
export class EndedError extends ConfigError {
  constructor({ id, status }: Run) {
    super(`run "${id}" has ended: its status is ${status}`);
  }
}
