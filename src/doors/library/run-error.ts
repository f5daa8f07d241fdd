import { AgentError, categoryIn, ConfigError, MissingKeyError, ModelError } from '../../errors.ts';
import type { Failure } from '../../core/records/run.ts';
import type { RunSummary } from './run-summary.ts';

/**
 * A run ended without an answer: it failed, ran out of time or was stopped. `cause` is the error that made it fail, of
 * its own class if it has one: a `ModelError`, for example, with its category.
 */
export class RunError extends Error {
  override readonly name = 'RunError';

  constructor(
    /** The summary of the run. Its id is all that `resume` needs. */
    readonly run: RunSummary,
    failure: Failure | undefined,
  ) {
    super(`run "${run.id}" ${ENDED[run.status]}${run.reason === '' ? '' : `: ${run.reason}`}`, {
      cause: failure && toError(failure),
    });
  }
}

const ENDED: Record<RunSummary['status'], string> = {
  running: 'is still running',
  interrupted: 'was interrupted',
  idle: 'is idle',
  succeeded: 'succeeded',
  budget_exceeded: 'exceeded its budget',
  failed: 'failed',
  timed_out: 'timed out',
  stopped: 'was stopped',
};

/** The error that a record reports. Errors travel through the machine by name and message. */
function toError({ error, message }: Failure): Error | undefined {
  switch (error) {
    case 'ConfigError':
      return new ConfigError(message);
    case 'MissingKeyError':
      return new MissingKeyError(message);
    case 'AgentError':
      return new AgentError(message);
    case 'ModelError': {
      const category = categoryIn(message);
      return category && new ModelError(category, message.slice(category.length + 2));
    }
    default:
      return undefined;
  }
}
