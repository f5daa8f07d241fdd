import * as v from 'valibot';
import type { ClosePorts } from '../src/conversation/close.ts';
import { settleRun } from '../src/conversation/settle.ts';
import { functionRunLog } from '../src/observability/run-log.ts';
import { functionStore } from '../src/store/cloud-store.ts';

const ports: ClosePorts = { store: functionStore().runs, emit: functionRunLog(), now: Date.now };

/** What EventBridge adds to what the machine itself hands over. */
const FromEventBridge = v.object({ time: v.pipe(v.string(), v.isoTimestamp()) });

/** Opening a run takes no longer; Lambda hands an event that failed over again after a minute. */
const OPENING_MS = 60_000;

/** Closes the record of a run whose execution has ended: called by the machine itself and by EventBridge. */
export async function handler(event: unknown): Promise<void> {
  if (await settleRun(event, ports)) return;
  const told = v.safeParse(FromEventBridge, event);
  if (told.success && Date.now() - Date.parse(told.output.time) < OPENING_MS) {
    throw new Error('there is no record of the run yet: it was stopped while it was being opened');
  }
}
