import { shortened } from './shortened.ts';
import type { TokenUsage } from './token-usage.ts';

/**
 * The few errors that Cadre itself raises. Each carries a literal `name`: it travels as a Lambda `errorType` and as
 * the `Error` of a failed execution, so it is a wire contract and must survive minification.
 *
 * Messages are for people: lowercase, no full stop, with the offending value and what to do about it.
 */

/** Why a model's API did not answer, independent of the provider. */
export type ModelErrorCategory = (typeof CATEGORIES)[number];

const CATEGORIES = ['auth', 'bad_request', 'rate_limit', 'overloaded', 'timeout', 'server'] as const;

/** The category that the message of a `ModelError` begins with: records keep the message alone. */
export function categoryIn(message: string): ModelErrorCategory | undefined {
  return CATEGORIES.find((category) => message.startsWith(`${category}: `));
}

/** Something in a file, a flag or the environment is wrong; the user mends it (exit code 2). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The agent cannot run as it is: bad model, too many turns (exit code 1). */
export class AgentError extends Error {
  override readonly name = 'AgentError';
}

/** No key for a provider that needs one (exit code 3). */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

/** The store could not keep or give what was asked: full disk, lock, no access (exit code 1). */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/**
 * A service of AWS is asked too much, failed or did not answer, which passes by itself: the machine tries again, and
 * what was done before is found (exit code 1).
 */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/**
 * A model's API refused, failed or did not answer in time. `message` is `<category>: <detail>`, the text that a
 * parent agent and a user read (exit code 1 for `bad_request`, else 3).
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    readonly category: ModelErrorCategory,
    detail: string,
    readonly details: {
      /** HTTP status, where the API answered at all. */
      status?: number;
      /** How long the API asked to be left alone (`retry-after`), in milliseconds. */
      retryAfterMs?: number;
      /**
       * The cost where there is no answer: the API delivered something unusable. `unknown` where it does not say how
       * many tokens that was; absent where nothing is to be paid.
       */
      spent?: TokenUsage | 'unknown';
      cause?: unknown;
    } = {},
  ) {
    super(`${category}: ${shortened(detail, MAX_DETAIL)}`, { cause: details.cause });
  }

  /** The message without its category. */
  get detail(): string {
    return this.message.slice(`${this.category}: `.length);
  }
}

/** An API may answer with a page of HTML; what travels in the state, in logs and to a model is its beginning. */
const MAX_DETAIL = 500;

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Any thrown value as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
