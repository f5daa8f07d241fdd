import { expect, test } from 'vitest';
import definition from '../../../infra/conversation.asl.json' with { type: 'json' };

const FULL_JITTER = { IntervalSeconds: 1, BackoffRate: 2, JitterStrategy: 'FULL' };
const LAMBDA_FAULT = {
  ErrorEquals: [
    'Lambda.ClientExecutionTimeoutException',
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
  ],
  ...FULL_JITTER,
  MaxAttempts: 5,
  MaxDelaySeconds: 20,
};
const NO_FUNCTION_IS_FREE = {
  ErrorEquals: ['Lambda.TooManyRequestsException'],
  ...FULL_JITTER,
  MaxAttempts: 12,
  MaxDelaySeconds: 60,
};
const FUNCTION_DIED = {
  ErrorEquals: ['Lambda.Unknown', 'Runtime.ExitError', 'Sandbox.Timedout'],
  ...FULL_JITTER,
  MaxAttempts: 2,
};
const NO_ANSWER_CAME = { ...FUNCTION_DIED, ErrorEquals: [...FUNCTION_DIED.ErrorEquals, 'States.Timeout'] };
const FUNCTION_IS_NOT_READY = {
  ErrorEquals: [
    'Lambda.EC2ThrottledException',
    'Lambda.EC2UnexpectedException',
    'Lambda.ENILimitReachedException',
    'Lambda.ENINotReadyException',
    'Lambda.KMSThrottlingException',
    'Lambda.ResourceConflictException',
    'Lambda.ResourceNotReadyException',
    'Lambda.SubnetIPAddressLimitReachedException',
  ],
  ...FULL_JITTER,
  MaxAttempts: 8,
  MaxDelaySeconds: 30,
};
const STORE_UNAVAILABLE = {
  ErrorEquals: ['StoreUnavailableError'],
  ...FULL_JITTER,
  MaxAttempts: 8,
  MaxDelaySeconds: 30,
};
const STATES_FAULT = {
  ErrorEquals: [
    'StepFunctions.AWSStepFunctionsException',
    'StepFunctions.ExecutionLimitExceeded',
    'StepFunctions.ExecutionLimitExceededException',
    'StepFunctions.SdkClientException',
  ],
  ...FULL_JITTER,
  MaxAttempts: 5,
  MaxDelaySeconds: 20,
};
const WHATEVER_FAILED = {
  ErrorEquals: ['States.ALL'],
  ...FULL_JITTER,
  MaxAttempts: 3,
  MaxDelaySeconds: 20,
};

/** Nothing else: where it is not known whether it runs, another kind of execution takes the run over. */
const LEAF_FAULT = {
  ...STATES_FAULT,
  ErrorEquals: ['Sfn.KmsThrottlingException', 'Sfn.SfnException', 'Sfn.ThrottlingException'],
};

const OF_FUNCTIONS = [
  LAMBDA_FAULT,
  NO_FUNCTION_IS_FREE,
  FUNCTION_IS_NOT_READY,
  FUNCTION_DIED,
  STORE_UNAVAILABLE,
];
const OF_TIMED_FUNCTIONS = [
  LAMBDA_FAULT,
  NO_FUNCTION_IS_FREE,
  FUNCTION_IS_NOT_READY,
  NO_ANSWER_CAME,
  STORE_UNAVAILABLE,
];
const NO_ANSWER_TO_START = { ...FUNCTION_DIED, ErrorEquals: ['States.Timeout'] };

/** The retries of each task of the machine, in the order in which an error is looked up. */
const RETRIES: Record<string, object[]> = {
  Open: OF_TIMED_FUNCTIONS,
  // Its time is over with that of the run, and that of a wait with the wait's.
  'Take turn': OF_FUNCTIONS,
  'Run sub-agent': [STATES_FAULT],
  'Run one sub-agent': [STATES_FAULT],
  'Run leaf': [LEAF_FAULT],
  'Run one leaf': [LEAF_FAULT],
  'Move one leaf': [STATES_FAULT],
  'Run tool': OF_TIMED_FUNCTIONS,
  'Run one tool': OF_TIMED_FUNCTIONS,
  'Start agent': [STATES_FAULT, NO_ANSWER_TO_START],
  'Control agents': OF_TIMED_FUNCTIONS,
  Idle: OF_FUNCTIONS,
  'Await batch': OF_FUNCTIONS,
  Ask: OF_FUNCTIONS,
  'Record the failure': [STORE_UNAVAILABLE, WHATEVER_FAILED],
};

test('each task tries again what passes by itself, and no other state tries anything again', () => {
  const { States: states } = definition;
  const all = Object.entries({
    ...states,
    ...states.Act.ItemProcessor.States,
    ...states['Run sub-agents'].ItemProcessor.States,
    ...states['Run leaves'].ItemProcessor.States,
    ...states['Run tools'].ItemProcessor.States,
  });
  const retries = all
    .filter(([, state]) => state.Type === 'Task' || 'Retry' in state)
    .map(([name, state]) => [name, 'Retry' in state ? state.Retry : []]);
  expect(Object.fromEntries(retries)).toEqual(RETRIES);
});
