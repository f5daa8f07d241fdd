import { SFNClient } from '@aws-sdk/client-sfn';
import type { Environment } from '../environment.ts';
import { CLIENT_LIMITS } from './client-limits.ts';
import { createFollowing } from './following.ts';
import { createStepFunctionsExecutions } from './step-functions.ts';
import { functionStore } from './store/cloud-store.ts';
import { ENVIRONMENT, required } from './variables.ts';

/** For a function that may only follow trees, as its variables say. */
export function openFunctionFollowing(): Pick<Environment, 'follow' | 'look' | 'records'> {
  const { runs: store } = functionStore();
  const states = new SFNClient(CLIENT_LIMITS);
  const executions = createStepFunctionsExecutions(states, required(ENVIRONMENT.stateMachine));
  return createFollowing({ store, executions, now: Date.now });
}
