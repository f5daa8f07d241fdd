import type { Failure } from '../../../core/records/run.ts';
import { DayLimitError } from '../../../places/environment-errors.ts';
import { AgentError, ConfigError, MissingKeyError, ModelError } from '../../../errors.ts';

/** The meaning of the command's exit codes: part of the contract with scripts that call it. */
export const EXIT = {
  success: 0,
  /**
   * The agent: bad model, unsupported provider, bad request, too many turns; and every failure that has no code of its
   * own.
   */
  agent: 1,
  /** The user's files, flags or environment. */
  configuration: 2,
  /** The model's API: auth, rate limit, timeout, overloaded, server, missing key. */
  api: 3,
  /** A limit of the budget, or of the day, was reached; the result so far was printed. */
  budget: 4,
  /** Stopped by Ctrl-C: 128 and the number of SIGINT, as shells have it. */
  interrupted: 130,
} as const;

/** The exit code for a run that did not succeed, by its record. */
export function exitCodeOfFailure({ error, message }: Failure): number {
  switch (error) {
    case 'ConfigError':
      return EXIT.configuration;
    case 'MissingKeyError':
    case 'States.Timeout':
      return EXIT.api;
    case 'ModelError':
      return message.startsWith('bad_request: ') ? EXIT.agent : EXIT.api;
    case 'Stopped':
      return EXIT.interrupted;
    default:
      return EXIT.agent;
  }
}

/** The exit code for an error that a command threw. */
export function exitCodeOfError(thrown: unknown): number {
  if (thrown instanceof DayLimitError) return EXIT.budget;
  const known = [ConfigError, AgentError, MissingKeyError, ModelError].find((type) => thrown instanceof type);
  if (known === undefined || !(thrown instanceof Error)) return EXIT.agent;
  return exitCodeOfFailure({ error: thrown.name, message: thrown.message });
}
