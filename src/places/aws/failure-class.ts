import type { RunStatus } from '../../core/records/run.ts';
import { categoryIn } from '../../errors.ts';
import type { TreeOutcome } from './variables.ts';

/**
 * The class of a failure, for metrics: one of a few names, independent of the error's text, so that metrics by class
 * stay few. A model's API fails with its category: `rate_limit`, not `ModelError`.
 */
export function failureClass(error: string, message: string): string {
  if (error === 'ModelError') {
    return categoryIn(message) ?? OTHER;
  }
  return ERRORS.has(error) ? error : OTHER;
}

const OTHER = 'other';

/** Our own errors, those of Step Functions and Lambda that end a run, and `settle`'s name for a stopped run. */
const ERRORS: ReadonlySet<string> = new Set([
  'AgentError',
  'ConfigError',
  'Lambda.TooManyRequestsException',
  'Lambda.Unknown',
  'MissingKeyError',
  'Runtime.ExitError',
  'Sandbox.Timedout',
  'States.Timeout',
  'Stopped',
  'StoreError',
  'StoreUnavailableError',
]);

/** How a tree ended, as alarms tell it apart. */
export function treeOutcome(status: RunStatus, error: string): TreeOutcome {
  if (status === 'succeeded' || status === 'budget_exceeded') return 'answered';
  if (status === 'stopped') return 'stopped';
  return error === 'ModelError' || error === 'MissingKeyError' ? 'model' : 'code';
}
