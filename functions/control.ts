import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import type { Context } from 'aws-lambda';
import { setTimeout as delay } from 'node:timers/promises';
import { ENVIRONMENT, required } from '../src/places/aws/variables.ts';
import { createStepFunctionsExecutions } from '../src/places/aws/step-functions.ts';
import { createStepFunctionsWake } from '../src/places/aws/step-functions-wake.ts';
import { functionRunLog } from '../src/places/aws/run-log.ts';
import { tellOfQuestion } from '../src/places/aws/cloud-questions.ts';
import type { OpenBucket } from '../src/core/batches/join-bucket.ts';
import { control, type ControlPorts, type Looked } from '../src/core/lifecycle/control.ts';
import { noticed } from '../src/places/follow/notices.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { loadOwnTools } from '../src/tools/load-own-tools.ts';
import { defined } from '../src/defined.ts';
import { functionGiveUp } from '../src/places/aws/give-up.ts';
import { CLIENT_LIMITS } from '../src/places/aws/client-limits.ts';

/** Time to keep the result of a call, before Lambda ends the function without a word. */
const MARGIN_MS = 5_000;

const states = new SFNClient(CLIENT_LIMITS);

const { store, live } = noticed(functionStore().runs, functionRunLog());

/** Few agents wait for batches. */
const openBucket: OpenBucket = async (...bucket) => {
  const executions = createStepFunctionsExecutions(states, required(ENVIRONMENT.batchMachine));
  await (await import('../src/places/aws/open-bucket.ts')).createOpenBucket(executions)(...bucket);
};

const ports: Omit<ControlPorts, 'invocation'> = {
  store,
  live,
  tools: loadOwnTools,
  executions: createStepFunctionsExecutions(states, required(ENVIRONMENT.stateMachine)),
  wake: createStepFunctionsWake(states),
  openBucket,
  ...functionGiveUp(),
  now: Date.now,
  // It is unknown: the holder of a mark has until the end that it wrote into it.
  mayBeAtWork: () => true,
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

const eventBridge = new EventBridgeClient(CLIENT_LIMITS);

/** Reaches agents: the only function but `settle` that starts and stops executions, or answers task tokens. */
export async function handler(event: unknown, context: Context): Promise<Looked> {
  const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - MARGIN_MS);
  const { person, paused } = await control(
    event,
    { ...ports, invocation: () => context.awsRequestId },
    signal,
  );
  if (person !== undefined) {
    await tellOfQuestion(required(ENVIRONMENT.name), person, { client: eventBridge, live });
  }
  return defined({ paused });
}
