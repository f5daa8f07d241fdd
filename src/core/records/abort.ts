import { ModelError } from '../../errors.ts';

/**
 * The error that a request which ended with its signal throws: the class `timeout` where the deadline came first, and
 * the signal's own reason where the run was stopped, which is no fault of the model's API.
 */
export function abortCause(signal: AbortSignal): unknown {
  const reason: unknown = signal.reason;
  const late = reason instanceof Error && reason.name === 'TimeoutError';
  return late ? new ModelError('timeout', 'no answer before the deadline') : reason;
}
