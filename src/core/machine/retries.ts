/**
 * The retries of the machine itself, in the States Language. In each list, the first retrier that names the error
 * applies, and each counts its own attempts.
 */

/** Half a minute in all: up to 1, 2, 4, 8 and 16 seconds, at random. */
const SERVICE_FAULT = {
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxAttempts: 5,
  MaxDelaySeconds: 20,
  JitterStrategy: 'FULL',
};

/**
 * For a service that throttles a function or is unavailable for a while: two minutes. Completed work is saved, and not
 * repeated.
 */
const STORE_UNAVAILABLE = {
  ErrorEquals: ['StoreUnavailableError'],
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxAttempts: 8,
  MaxDelaySeconds: 30,
  JitterStrategy: 'FULL',
};

/** For the functions of the machine. All of them may be called twice: the second finds what the first has saved. */
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
    // Concurrency is used up: up to eight minutes, until other invocations end.
    ErrorEquals: ['Lambda.TooManyRequestsException'],
    IntervalSeconds: 1,
    BackoffRate: 2,
    MaxAttempts: 12,
    MaxDelaySeconds: 60,
    JitterStrategy: 'FULL',
  },
  {
    // The function crashed, or Lambda ended it.
    ErrorEquals: ['Lambda.Unknown', 'Runtime.ExitError', 'Sandbox.Timedout'],
    IntervalSeconds: 1,
    BackoffRate: 2,
    MaxAttempts: 2,
    JitterStrategy: 'FULL',
  },
  STORE_UNAVAILABLE,
];

/** For starting a nested execution; starting it twice with the same input gives the same one. */
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

/** For recording a failure, the last thing that can be done: retried after any error. */
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
