import * as v from 'valibot';
import { isLate, isQuiet } from '../records/deadline.ts';
import { holderOfExecution, isRunId, runOfExecution } from '../records/run-id.ts';
import { ANSWERED, DEAD, OPEN, isIn, phaseOf } from '../records/phase.ts';
import { beginsAgent } from '../records/plan.ts';
import { runsBelow, type Failure, type Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import { closeRun, giveUpTask, type RunEnd } from '../turn/close.ts';
import { holdRun, isHeldBy } from '../turn/hold.ts';
import { report } from './report.ts';
import { STOPPED } from '../records/closing-reason.ts';
import { endBelow } from './end-agents.ts';
import { endedCaller } from './ended-caller.ts';
import type { ResidentPorts } from './ports.ts';
import type { ExecutionEnd } from '../machine/executions.ts';
import { wakeWaiting } from './wake-agents.ts';

const Input = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ run: v.pipe(v.string(), v.check(isRunId)), holder: v.optional(v.number(), 1) }),
);

/**
 * The part of a "Step Functions Execution Status Change" event that is read here. The state `Record the failure` passes
 * the same shape, so that a run is closed in the same way after any end.
 */
const StatusChange = v.object({
  detail: v.object({
    executionArn: v.string(),
    name: v.string(),
    status: v.picklist(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE']),
    /** The input of the execution; left out of events where it is large. */
    input: v.nullish(v.string()),
    /** How often the execution had been redriven by then: a late event may be from before a redrive. */
    redriveCount: v.optional(v.number(), 0),
    error: v.nullish(v.string()),
    cause: v.nullish(v.string()),
  }),
});
type StatusChange = v.InferOutput<typeof StatusChange>['detail'];

/** The event that `settleRun` takes, for an end without an event. */
export function endEvent({ id, holder, execution }: Carried, { status, error, cause }: ExecutionEnd): object {
  const input = JSON.stringify({ run: id, holder });
  return { detail: { executionArn: execution, name: id, input, status, error, cause } };
}

type Carried = Pick<Run, 'id' | 'holder' | 'execution'>;

/**
 * Closes the record of a run whose execution ended without closing it: failed, timed out or stopped. Events may arrive
 * late, twice or out of order. A closed record stays as it is, and events of an execution that no longer carries the
 * run are ignored (it was redriven, or the run was resumed in another one). The ledger stays as it is, too: the
 * reservation for a call under way may have been paid for, and the parent run takes back the rest.
 * @returns false if there is no record of the run, which may still be being opened
 */
export async function settleRun(event: unknown, ports: ResidentPorts): Promise<boolean> {
  const { detail } = v.parse(StatusChange, event);
  const end = toEnd(detail);
  if (end === undefined) return true;
  const input = v.safeParse(Input, detail.input);
  const { name } = detail;
  const named = input.success ? input.output : { run: runOfExecution(name), holder: holderOfExecution(name) };
  const claim = { holder: named.holder + detail.redriveCount, execution: detail.executionArn };
  const run = await ports.store.run(named.run);
  if (run === undefined) return false;
  // It had done what it was there for.
  if (phaseOf(run) === 'idle') return true;
  // The process that ends everything below an agent above it has closed it, and continues until it is done.
  if (isHeldBy(run, claim) && (await isEndedWithOthers(run, ports))) {
    await giveUpTask(run, ports.giveUp);
    return true;
  }
  const turns = await ports.store.turns(run.id);
  // An execution that ended before it could carry the run takes it over now, to record how it ended.
  const held = isHeldBy(run, claim) ? run : await holdRun(run, claim, turns.at(-1)?.at, ports);
  // The runs below a closed run are looked at again: the process that closed it may have died.
  if (held === undefined || phaseOf(held) === 'killed' || isIn(ANSWERED, held)) return true;
  // The process that closes a record has told of it before that.
  if (isIn(OPEN, held)) await report(held, turns, end, ports);
  const closed = await closeRun(held, turns, end, ports);
  if (closed === undefined || !isHeldBy(closed, claim) || !isIn(DEAD, closed)) return true;
  if (await hasBegunOthers(closed, turns, ports)) await endBelow(closed, ports);
  await wakeWaiting(closed.root, ports);
  return true;
}

/** A person may have brought it back below an ended agent: then its end is its own. */
async function isEndedWithOthers(run: Run, { store }: ResidentPorts): Promise<boolean> {
  if (!isIn(DEAD, run) || run.isForPerson === true) return false;
  return (await endedCaller(run, store)) !== undefined;
}

/** Whether there may be anything below a run: reading its tree takes hundreds of read units where that is large. */
async function hasBegunOthers(run: Run, turns: readonly Turn[], { store }: ResidentPorts): Promise<boolean> {
  if (run.parent === undefined || turns.some(({ plans }) => plans.some(beginsAgent))) return true;
  // Copies that people have made.
  return runsBelow(run, await store.namedRuns(run.id)).length > 0;
}

/** Undefined if nothing has ended, or if it ended well and its last turn closed it. */
function toEnd({ status, error, cause }: StatusChange): RunEnd | undefined {
  if (status !== 'FAILED' && status !== 'TIMED_OUT' && status !== 'ABORTED') return undefined;
  const failure = toFailure(error === SHORT_TIMEOUT ? TIMEOUT : (error ?? ''), cause ?? '');
  if (status === 'ABORTED') {
    return { status: 'stopped', failure: { error: 'Stopped', message: failure.message || STOPPED } };
  }
  const saysSo = isLate(failure.message) || isQuiet(failure.message);
  if (!saysSo && status !== 'TIMED_OUT' && failure.error !== TIMEOUT) return { status: 'failed', failure };
  const message = saysSo ? failure.message : 'timeout: the run took too long';
  return { status: 'timed_out', failure: { error: failure.error || TIMEOUT, message } };
}

/** The error of a state that took too long; for an execution, only the status says so. */
const TIMEOUT = 'States.Timeout';
/** The same as the state `Failed` tells it, where the failure could not be recorded before. */
const SHORT_TIMEOUT = 'Timeout';

/** An error thrown by a Lambda function arrives as its name and a cause in JSON; other causes are plain text. */
function toFailure(error: string, cause: string): Failure {
  const thrown = v.safeParse(LambdaCause, cause);
  return { error, message: thrown.success ? thrown.output.errorMessage : cause || error };
}

const LambdaCause = v.pipe(v.string(), v.parseJson(), v.object({ errorMessage: v.string() }));
