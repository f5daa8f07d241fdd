import { settleRun, type SettlePorts } from '../src/conversation/settle.ts';
import { functionRunLog } from '../src/observability/run-log.ts';
import { functionStore } from '../src/store/cloud-store.ts';

const ports: SettlePorts = { store: functionStore().runs, emit: functionRunLog(), now: Date.now };

/** Closes the record of a run whose execution has ended: called by the machine itself and by EventBridge. */
export function handler(event: unknown) {
  return settleRun(event, ports);
}
