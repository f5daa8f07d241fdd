import type { Models } from '../model/model.ts';
import type { Wake } from '../machine/wake.ts';
import type { RunStore } from '../records/ports.ts';
import type { Instant } from '../records/times.ts';
import type { Prices } from '../spending/prices.ts';
import type { OpenBucket } from './join-bucket.ts';

/**
 * The ports for collecting and sending turns and delivering their answers: keys, the store, and tokens to send back.
 */
export interface BatchPorts {
  store: RunStore;
  models: Models;
  prices: Prices;
  wake: Wake;
  openBucket: OpenBucket;
  now: () => Instant;
  /** Tells one invocation from another. */
  invocation(): string;
  sleep(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}
