import { createHmac, randomBytes } from 'node:crypto';
import type { Json } from '../../json.ts';
import { StatesApiError } from './errors.ts';

/** The message sent for a token: the result of its task, or why it failed. */
export type CallbackResult = { output: Json } | { error: string | undefined; cause: string | undefined };

/** The task tokens that were handed out, and the tasks that wait for them. */
export class TaskTokens {
  /** Signs the tokens, so that one that is no longer awaited can be told from one that never was. */
  readonly #key = randomBytes(32);
  readonly #callbacks = new Map<string, Callback>();

  issue(): string {
    const nonce = randomBytes(24);
    return Buffer.concat([nonce, this.#sign(nonce)]).toString('base64url');
  }

  /** Lets messages for the token reach the task, until the callback is closed. */
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

/** A task that waits for a token. */
interface Listener {
  onSent: (sent: CallbackResult) => void;
  onHeartbeat: () => void;
}

/** The end of one task that is reported from outside. */
export class Callback {
  #sent: CallbackResult | undefined;
  #listener: Listener | undefined;

  constructor(readonly close: () => void) {}

  /** Ends the task; from now on the token is spent. */
  send(sent: CallbackResult): void {
    this.close();
    this.#sent = sent;
    this.#listener?.onSent(sent);
  }

  heartbeat(): void {
    this.#listener?.onHeartbeat();
  }

  /** Passes on messages, at once those that were sent while the function with the token was at work. */
  listen(listener: Listener): void {
    this.#listener = listener;
    if (this.#sent !== undefined) listener.onSent(this.#sent);
  }
}
