import * as v from 'valibot';
import { isLate } from '../runs/deadline.ts';
import type { EmitRunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import { runIdOfExecution } from '../runs/run-id.ts';
import { closingReason } from './outcome.ts';
import { closeReservations } from './spending.ts';
import { identityOf, usageOf, type Failure, type Run, type RunStatus } from '../runs/run.ts';

/**
 * The part of a "Step Functions Execution Status Change" event that is read here. The machine's own state
 * `Close failed` hands over the same shape, so that a run is closed in one way whatever ended it.
 */
const StatusChange = v.object({
  detail: v.object({
    executionArn: v.string(),
    name: v.string(),
    status: v.picklist(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE']),
    error: v.nullish(v.string()),
    cause: v.nullish(v.string()),
  }),
});
type StatusChange = v.InferOutput<typeof StatusChange>['detail'];

export interface SettlePorts {
  store: RunStore;
  emit: EmitRunEvent;
  now: () => number;
}

/**
 * Closes the record of a run whose execution has ended without closing it: failed, timed out or stopped. Events may
 * come late, twice or out of order: a record that is closed stays as it is, and an event of an execution that does
 * not carry the run any more (the run was resumed in another one) is passed over.
 * @returns false if there is no record of the run, which may be being opened still
 */
export async function settleRun(event: unknown, ports: SettlePorts): Promise<boolean> {
  const { detail } = v.parse(StatusChange, event);
  if (detail.status !== 'FAILED' && detail.status !== 'TIMED_OUT' && detail.status !== 'ABORTED') return true;
  const id = runIdOfExecution(detail.name);
  const known = await ports.store.run(id);
  if (known === undefined) return false;
  if (!isCarriedBy(known, detail.executionArn)) return true;
  const turns = await ports.store.turns(id);
  await closeReservations(id, turns, await ports.store.opened(id), ports);
  const usage = usageOf(turns);
  const endedAt = ports.now();
  const end = toEnd(detail);
  let closes = false;
  await ports.store.updateRun(id, (run) => {
    closes = isCarriedBy(run, detail.executionArn);
    return closes ? { ...run, ...end, usage, endedAt: new Date(endedAt).toISOString() } : run;
  });
  if (!closes) return true;
  ports.emit({
    type: 'run_closed',
    ...identityOf(known),
    status: end.status,
    durationMs: endedAt - Date.parse(known.startedAt),
    characters: 0,
    error: end.failure.error,
    reason: closingReason({ ...known, ...end }),
  });
  return true;
}

function isCarriedBy(run: Run, executionArn: string): boolean {
  return run.status === 'running' && run.execution === executionArn;
}

function toEnd(detail: StatusChange): { status: RunStatus; failure: Failure } {
  const failure = toFailure(detail.error ?? '', detail.cause ?? '');
  if (detail.status === 'ABORTED') {
    return { status: 'stopped', failure: { error: 'Stopped', message: failure.message || 'it was stopped' } };
  }
  const saysSo = isLate(failure.message);
  if (!saysSo && detail.status !== 'TIMED_OUT' && failure.error !== TIMEOUT) {
    return { status: 'failed', failure };
  }
  const message = saysSo ? failure.message : 'timeout: the run took too long';
  return { status: 'timed_out', failure: { error: failure.error || TIMEOUT, message } };
}

/** What a state that took too long fails with; an execution that did is told by its status alone. */
const TIMEOUT = 'States.Timeout';

/** What a Lambda function throws arrives as the name and a cause that is JSON; other causes are plain text. */
function toFailure(error: string, cause: string): Failure {
  const thrown = v.safeParse(LambdaCause, cause);
  return { error, message: thrown.success ? thrown.output.errorMessage : cause || error };
}

const LambdaCause = v.pipe(v.string(), v.parseJson(), v.object({ errorMessage: v.string() }));
