import { SFNClient } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { defined } from '../src/defined.ts';
import { runOfExecution } from '../src/core/records/run-id.ts';
import { messageOf } from '../src/errors.ts';
import { ENVIRONMENT, METRICS, required } from '../src/places/aws/variables.ts';
import { createStepFunctionsExecutions } from '../src/places/aws/step-functions.ts';
import { createStepFunctionsWake } from '../src/places/aws/step-functions-wake.ts';
import { sweepTrees, type SweepPorts } from '../src/core/lifecycle/sweep.ts';
import { settleRun } from '../src/core/lifecycle/settle.ts';
import { functionRunLog, logCount, logWarning } from '../src/places/aws/run-log.ts';
import { noticed } from '../src/places/follow/notices.ts';
import type { LiveBus } from '../src/core/events/live.ts';
import { noteSweep, readLastSweep } from '../src/places/store/last-sweep.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { functionGiveUp } from '../src/places/aws/give-up.ts';
import { CLIENT_LIMITS } from '../src/places/aws/client-limits.ts';

const states = new SFNClient(CLIENT_LIMITS);

const { runs, table } = functionStore();
const { store, live } = noticed(runs, functionRunLog());

const executions = createStepFunctionsExecutions(states, required(ENVIRONMENT.stateMachine));
const ports: SweepPorts = {
  store,
  live,
  executions,
  endOf: executions.endOf,
  wake: createStepFunctionsWake(states),
  ...functionGiveUp(),
  now: Date.now,
};

/** EventBridge's additions to the machine's own input. */
const FromEventBridge = v.object({ time: v.pipe(v.string(), v.isoTimestamp()) });

/** What the machine's own input has, which comes once a step has failed for good. */
const FromMachine = v.object({ detail: v.object({ name: v.string(), error: v.string() }) });

/** The schedule's event. */
const Sweep = v.object({ sweep: v.literal(true) });

/** Opening a run takes no longer; Lambda hands an event that failed over again after a minute. */
const OPENING_MS = 60_000;

/** For how long a sweep begins with further trees: the function has 55 s, in which those that it has begun are to end. */
const SWEEPING_MS = 30_000;

/**
 * Closes the record of a run whose execution has ended: called by the machine itself and by EventBridge. A schedule has
 * it look for those of which it was not told.
 */
export async function handler(event: unknown): Promise<void> {
  if (v.is(Sweep, event)) return sweep();
  if (await settleRun(event, ports)) return;
  const parsed = v.safeParse(FromEventBridge, event);
  if (parsed.success && Date.now() - Date.parse(parsed.output.time) < OPENING_MS) {
    throw new Error('there is no record of the run yet: it was stopped while it was being opened');
  }
  if (!parsed.success) tellOfUnopened(v.parse(FromMachine, event).detail);
}

/** What a schedule or an event has started is in no list, and no other alarm goes off for it. */
function tellOfUnopened({ name, error }: v.InferOutput<typeof FromMachine>['detail']): void {
  logWarning(
    `run "${runOfExecution(name)}" failed before it was written down (${error}): the log of the function open has the reason`,
  );
  logCount(METRICS.sweepFindings, 1);
}

/**
 * Each thing that it warns of was lost before, and is counted for an alarm; so is a sweep that fails. That is told in the
 * log alone: Lambda would repeat it twice, and keep it as a dead letter, though the next one comes soon.
 */
async function sweep(): Promise<void> {
  let findings = 0;
  const counting: LiveBus = {
    tell(event) {
      if (event.type === 'warning') findings += 1;
      live.tell(event);
    },
  };
  try {
    const after = (await readLastSweep(table))?.last;
    const note = (last?: string) => noteSweep(table, { at: new Date().toISOString(), ...defined({ last }) });
    const reach = { over: AbortSignal.timeout(SWEEPING_MS), note };
    await sweepTrees(await store.openTrees(after), { ...ports, live: counting }, reach);
  } catch (thrown) {
    findings += 1;
    logWarning(`the sweep could not do all of its work: ${messageOf(thrown)}`);
  } finally {
    if (findings > 0) logCount(METRICS.sweepFindings, findings);
  }
}
