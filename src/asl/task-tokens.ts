import { createHmac, randomBytes } from 'node:crypto';
import type { Json } from '../json.ts';
import { StatesApiError } from './api-errors.ts';
import { TimedOut, type TaskAttempt } from './task-attempt.ts';

type Outcome = { output: Json } | { error: string | undefined; cause: string | undefined };

/** The task tokens that were handed out, and the tasks that wait for them. */
export class TaskTokens {
  /** Signs the tokens, so that one that is no longer awaited can be told from one that never was. */
  readonly #key = randomBytes(32);
  readonly #callbacks = new Map<string, Callback>();

  issue(): string {
    const nonce = randomBytes(24);
    return Buffer.concat([nonce, this.#sign(nonce)]).toString('base64url');
  }

  /** Lets what is sent for the token reach the task, until the callback is closed. */
  expect(token: string): Callback {
    const callback = new Callback(() => this.#callbacks.delete(token));
    this.#callbacks.set(token, callback);
    return callback;
  }

  /** @throws StatesApiError InvalidToken, or TaskTimedOut when the task has ended */
  find(token: string): Callback {
    const callback = this.#callbacks.get(token);
    if (callback !== undefined) return callback;
    const bytes = Buffer.from(token, 'base64url');
    if (!this.#sign(bytes.subarray(0, 24)).equals(bytes.subarray(24))) {
      throw new StatesApiError('InvalidToken', "Invalid Token: 'Invalid token'");
    }
    throw new StatesApiError('TaskTimedOut', "Task Timed Out: 'Provided task does not exist anymore'");
  }

  #sign(nonce: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(nonce).digest();
  }
}

/** The end of one task that is told from outside. */
export class Callback {
  #outcome: Outcome | undefined;
  #onOutcome: ((outcome: Outcome) => void) | undefined;
  #onHeartbeat: (() => void) | undefined;

  constructor(readonly close: () => void) {}

  /** Ends the task; from now on the token is spent. */
  settle(outcome: Outcome): void {
    this.close();
    this.#outcome = outcome;
    this.#onOutcome?.(outcome);
  }

  heartbeat(): void {
    this.#onHeartbeat?.();
  }

  /**
   * Waits until the token comes back, as long as the task and its heartbeat allow.
   * @throws StateFailure
   */
  async outcome(attempt: TaskAttempt): Promise<Json> {
    const { clock } = attempt.visit.thread.execution.environment;
    const { heartbeatSeconds } = attempt.limits;
    const outcome = await attempt.wait<Outcome>((resolve, reject) => {
      // It may have been sent while the function that was given the token was still at work.
      if (this.#outcome !== undefined) resolve(this.#outcome);
      let stopClock = () => {};
      const restartClock = () => {
        stopClock();
        if (heartbeatSeconds === undefined) return;
        stopClock = clock.after(1000 * heartbeatSeconds, () =>
          reject(new TimedOut(['States.HeartbeatTimeout'])),
        );
      };
      if (this.#outcome === undefined) restartClock();
      this.#onHeartbeat = restartClock;
      this.#onOutcome = (sent) => {
        stopClock();
        resolve(sent);
      };
      return () => stopClock();
    });
    if ('output' in outcome) return attempt.succeed(outcome.output);
    throw attempt.fail(outcome.error, outcome.cause);
  }
}
