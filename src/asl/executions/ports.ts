import type { Json } from '../../json.ts';

/** Time as the interpreter sees it, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` once after `milliseconds`; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Work that takes time of its own, such as loading a module: virtual time stands still meanwhile. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** The longest that setTimeout can wait, about 24.8 days; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer = setTimeout(
        () => (left > MAX_TIMER_MS ? arm(left - MAX_TIMER_MS) : callback()),
        Math.min(left, MAX_TIMER_MS),
      );
    };
    arm(milliseconds);
    return () => clearTimeout(timer);
  },
  during: (work) => work,
};

/** Invokes a Lambda function and waits for its answer. */
export type InvokeLambda = (
  functionName: string,
  payload: Json,
  options: LambdaOptions,
) => Promise<LambdaAnswer>;

export interface LambdaOptions {
  /** Aborted when the task times out, or its execution, Map or Parallel ends without it. */
  signal: AbortSignal;
}

export interface LambdaAnswer {
  /**
   * The function's result, which is copied as JSON would carry it, or the JSON with `errorType` and `errorMessage` that
   * Lambda makes of its failure.
   */
  payload: unknown;
  /** Set where the function failed, as in the header X-Amz-Function-Error. */
  functionError?: string;
}

/**
 * Lambda itself refused, such as ResourceNotFoundException or TooManyRequestsException. The state fails with
 * `Lambda.<exception>`. Anything else that `InvokeLambda` throws counts as Lambda.SdkClientException.
 */
export class LambdaServiceError extends Error {
  override readonly name = 'LambdaServiceError';

  constructor(
    readonly exception: string,
    message: string,
    readonly details: { status: number; requestId: string },
  ) {
    super(message);
  }
}
