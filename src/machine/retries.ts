/**
 * What the machine tries again by itself, in the form of the States Language. Each list is tried in order: the first
 * retrier that names the error counts, with attempts of its own.
 */

/** Half a minute in all: 1, 2, 4, 8 and 16 seconds, each a random part of it. */
const SERVICE_FAULT = {
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxAttempts: 5,
  MaxDelaySeconds: 20,
  JitterStrategy: 'FULL',
};

/**
 * A service that a function uses is asked too much or is not there for a while: two minutes. What was done before is
 * kept, and is not done again.
 */
const STORE_UNAVAILABLE = {
  ErrorEquals: ['StoreUnavailableError'],
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxAttempts: 8,
  MaxDelaySeconds: 30,
  JitterStrategy: 'FULL',
};

/** The functions of the machine. All of them may be called twice: what one has kept, the next one finds. */
export const FUNCTION_RETRIES = [
  {
    ErrorEquals: [
      'Lambda.ClientExecutionTimeoutException',
      'Lambda.ServiceException',
      'Lambda.AWSLambdaException',
      'Lambda.SdkClientException',
    ],
    ...SERVICE_FAULT,
  },
  {
    // No function is free: up to eight minutes, for as long as others take to end.
    ErrorEquals: ['Lambda.TooManyRequestsException'],
    IntervalSeconds: 1,
    BackoffRate: 2,
    MaxAttempts: 12,
    MaxDelaySeconds: 60,
    JitterStrategy: 'FULL',
  },
  {
    // The function died, or Lambda ended it.
    ErrorEquals: ['Lambda.Unknown', 'Runtime.ExitError', 'Sandbox.Timedout'],
    IntervalSeconds: 1,
    BackoffRate: 2,
    MaxAttempts: 2,
    JitterStrategy: 'FULL',
  },
  STORE_UNAVAILABLE,
];

/** Starting a nested execution, which is the same one if it is started twice with the same input. */
export const START_RETRIES = [
  {
    ErrorEquals: [
      'StepFunctions.AWSStepFunctionsException',
      'StepFunctions.ExecutionLimitExceededException',
      'StepFunctions.SdkClientException',
    ],
    ...SERVICE_FAULT,
  },
];

/** Writing a failure down, which nothing comes after: whatever is in the way. */
export const RECORD_RETRIES = [
  STORE_UNAVAILABLE,
  {
    ErrorEquals: ['States.ALL'],
    IntervalSeconds: 1,
    BackoffRate: 2,
    MaxAttempts: 3,
    MaxDelaySeconds: 20,
    JitterStrategy: 'FULL',
  },
];
