import { SFNClient } from '@aws-sdk/client-sfn';
import type { Context } from 'aws-lambda';
import { setTimeout as delay } from 'node:timers/promises';
import { advanceBucket, type BucketLook } from '../src/core/batches/advance-bucket.ts';
import type { BatchPorts } from '../src/core/batches/ports.ts';
import { createPrices } from '../src/core/spending/prices.ts';
import { AgentError } from '../src/errors.ts';
import { CLIENT_LIMITS } from '../src/places/aws/client-limits.ts';
import { functionModels } from '../src/places/aws/function-models.ts';
import { createOpenBucket } from '../src/places/aws/open-bucket.ts';
import { functionRunLog } from '../src/places/aws/run-log.ts';
import { createStepFunctionsExecutions } from '../src/places/aws/step-functions.ts';
import { createStepFunctionsWake } from '../src/places/aws/step-functions-wake.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { ENVIRONMENT, required } from '../src/places/aws/variables.ts';
import { noticed } from '../src/places/follow/notices.ts';

/** Time to note what was done, before Lambda ends the function without a word. */
const MARGIN_MS = 5_000;

const states = new SFNClient(CLIENT_LIMITS);

const ports: Omit<BatchPorts, 'invocation'> = {
  store: noticed(functionStore().runs, functionRunLog()).store,
  models: await functionModels(() => {
    throw new AgentError('scripts are played at once, and in no batch');
  }),
  prices: createPrices(),
  wake: createStepFunctionsWake(states),
  openBucket: createOpenBucket(createStepFunctionsExecutions(states, required(ENVIRONMENT.batchMachine))),
  now: Date.now,
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

/** Collects turns, has their models asked in batches, and wakes the executions that wait for the answers. */
export function handler(event: unknown, context: Context): Promise<BucketLook> {
  const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - MARGIN_MS);
  return advanceBucket(event, { ...ports, invocation: () => context.awsRequestId }, signal);
}
