import * as v from 'valibot';
import { AgentError } from '../../errors.ts';
import { joinBucket, type OpenBucket } from '../batches/join-bucket.ts';
import type { Wake } from '../machine/wake.ts';
import type { RunStore } from '../records/ports.ts';
import type { Instant } from '../records/times.ts';
import { CLAIM, holdRun } from '../turn/hold.ts';

const AwaitInput = v.object({
  ...CLAIM,
  turn: v.number(),
  /** Lets the execution go on. */
  token: v.string(),
});

export interface AwaitBatchPorts {
  store: RunStore;
  wake: Wake;
  openBucket: OpenBucket;
  now: () => Instant;
}

/** An execution that waits for a batch. */
export interface AwaitingBatch {
  run: string;
  bucket: string;
  /** `provider/model-name`. */
  model: string;
}

/**
 * Stores the token of a state that waits for a batch, and makes the turn part of one. Whoever delivers the answer
 * writes it and then reads the tokens; this writes the token and then reads the answer. So at least one of the two sees
 * the other.
 * @returns undefined if it does not wait
 */
export async function awaitBatch(event: unknown, ports: AwaitBatchPorts): Promise<AwaitingBatch | undefined> {
  const { token, turn, ...claim } = v.parse(AwaitInput, event);
  const { store, wake, now } = ports;
  const batches = await store.batches();
  const [run, pending] = await Promise.all([store.run(claim.run), batches.pendingTurn(claim.run, turn)]);
  if (run === undefined || pending === undefined) {
    throw new AgentError(`turn ${turn} of run "${claim.run}" waits for no batch`);
  }
  const held = await holdRun(run, claim, undefined, ports);
  if (held?.status === 'running' && now() < pending.until) {
    await batches.saveBatchWait(run.id, turn, { holder: claim.holder, token });
    const bucket = await joinBucket(run.id, pending, { ...ports, batches });
    const result = await batches.batchedResult(run.id, turn);
    if (result === undefined) return { run: run.id, bucket, model: pending.model };
  }
  await wake(token, {});
  return undefined;
}
