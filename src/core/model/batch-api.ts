import type { Json } from '../../json.ts';
import type { ModelErrorCategory } from '../../errors.ts';
import type { TokenUsage } from '../../token-usage.ts';
import type { ModelResponse } from '../records/message.ts';
import type { Instant } from '../records/times.ts';
import type { ModelRequest } from './model.ts';

/** A request as a batch carries it. */
export interface BatchRequest {
  /** By which its result is found again: 40 hexadecimal digits. */
  id: string;
  /** Its parameters, as JSON. */
  body: string;
}

/** What is known of a batch that may have been created. */
export interface BatchTrace {
  /** The name that we gave it, which not every provider keeps. */
  name: string;
  requests: number;
  /** When it was created at the earliest. */
  since: Instant;
}

/** The result of one request of a batch. */
export type BatchResult =
  /** The model's answer, as its provider sent it. */
  | { answered: Json }
  /** The request itself failed, for nothing. */
  | { failed: { category: ModelErrorCategory; message: string } }
  /** It was not carried out, and costs nothing: the time of the batch was over, or it was cancelled. */
  | { expired: true };

/** The batches of a provider: requests that are sent together and answered within a day, in any order. */
export interface BatchApi {
  /** Identifies the owner of the batches by address and key, neither of which can be read from it. */
  account: string;
  /** @returns the path that the request is for, and its parameters as JSON */
  toBody(request: ModelRequest): Promise<{ endpoint: string; body: string }>;
  /**
   * @param request the one that was answered
   * @throws {ModelError} for an answer that cannot be used, as `Model.send` does
   */
  toAnswer(request: ModelRequest, endpoint: string, answered: Json): ModelResponse;
  /** What an answer costs that nobody reads. */
  spentOn(endpoint: string, answered: Json): TokenUsage | 'unknown';
  /**
   * Creates a batch.
   * @returns its id
   * @throws {ModelError} after which there may be a batch, unless the API refused it
   */
  create(
    batch: { name: string; endpoint: string; requests: readonly BatchRequest[] },
    signal: AbortSignal,
  ): Promise<string>;
  /** The ids of batches that may be the one that was to be created. */
  find(trace: BatchTrace, signal: AbortSignal): Promise<string[]>;
  /** Whether a batch is over, so that its results are there. @throws {ModelError} `bad_request` if there is none */
  isOver(batch: string, signal: AbortSignal): Promise<boolean>;
  /** The results of a batch that is over, in any order. */
  results(batch: string, signal: AbortSignal): AsyncIterable<{ id: string; result: BatchResult }>;
  /** Asks that nothing more of a batch be carried out. No error if it is over. */
  cancel(batch: string, signal: AbortSignal): Promise<void>;
}
