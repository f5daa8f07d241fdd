import * as v from 'valibot';
import { isLate } from '../runs/deadline.ts';
import { holderOfExecution, isRunId, runOfExecution } from '../runs/run-id.ts';
import type { Failure } from '../runs/run.ts';
import { closeRun, type ClosePorts, type RunEnd } from './close.ts';
import { holdRun } from './hold.ts';

const Input = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ run: v.pipe(v.string(), v.check(isRunId)), holder: v.optional(v.number(), 1) }),
);

/**
 * The part of a "Step Functions Execution Status Change" event that is read here. The machine's own state
 * `Record the failure` hands over the same shape, so that a run is closed in one way whatever ended it.
 */
const StatusChange = v.object({
  detail: v.object({
    executionArn: v.string(),
    name: v.string(),
    status: v.picklist(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE']),
    /** What the execution was started with; left out of events where it is large. */
    input: v.nullish(v.string()),
    /** How often the execution had been redriven by then: a late event may be of the time before. */
    redriveCount: v.optional(v.number(), 0),
    error: v.nullish(v.string()),
    cause: v.nullish(v.string()),
  }),
});
type StatusChange = v.InferOutput<typeof StatusChange>['detail'];

/**
 * Closes the record of a run whose execution has ended without closing it: failed, timed out or stopped. Events may
 * come late, twice or out of order: a record that is closed stays as it is, and an event of an execution that does
 * not carry the run any more (the run was resumed in another one, or in the same one redriven) is passed over. Its ledger stays as it is: what was
 * reserved for a call under way may have been paid, and the run one level up takes back the rest.
 * @returns false if there is no record of the run, which may be being opened still
 */
export async function settleRun(event: unknown, ports: ClosePorts): Promise<boolean> {
  const { detail } = v.parse(StatusChange, event);
  const end = toEnd(detail);
  if (end === undefined) return true;
  const input = v.safeParse(Input, detail.input);
  const { name } = detail;
  const told = input.success ? input.output : { run: runOfExecution(name), holder: holderOfExecution(name) };
  const claim = { holder: told.holder + detail.redriveCount, execution: detail.executionArn };
  const run = await ports.store.run(told.run);
  if (run === undefined) return false;
  const turns = await ports.store.turns(run.id);
  // One that ended before it could carry the run takes it over to say so.
  const held = await holdRun(run, claim, turns.at(-1)?.at, ports);
  if (held !== undefined) await closeRun(held, turns, end, ports);
  return true;
}

/** Undefined where nothing has ended, or ended well and was closed by its last turn. */
function toEnd({ status, error, cause }: StatusChange): RunEnd | undefined {
  if (status !== 'FAILED' && status !== 'TIMED_OUT' && status !== 'ABORTED') return undefined;
  const failure = toFailure(error ?? '', cause ?? '');
  if (status === 'ABORTED') {
    return { status: 'stopped', failure: { error: 'Stopped', message: failure.message || 'it was stopped' } };
  }
  const saysSo = isLate(failure.message);
  if (!saysSo && status !== 'TIMED_OUT' && failure.error !== TIMEOUT) return { status: 'failed', failure };
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
