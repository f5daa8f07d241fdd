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

/** Two minutes in all. */
const OUT_OF_SERVICE = {
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxAttempts: 8,
  MaxDelaySeconds: 30,
  JitterStrategy: 'FULL',
};

/** No answer came, and none can: twice more. */
const DEATH = { IntervalSeconds: 1, BackoffRate: 2, MaxAttempts: 2, JitterStrategy: 'FULL' };

/** For a service that throttles a function or is unavailable for a while. Completed work is saved and not repeated. */
const STORE_UNAVAILABLE = {
  ErrorEquals: ['StoreUnavailableError'],
  ...OUT_OF_SERVICE,
};

/**
 * Lambda is preparing a function that was idle for weeks, giving it a network interface, decrypting its variables, or
 * putting a new version in place (Lambda, "Invoke", errors).
 */
const NOT_READY = {
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
  ...OUT_OF_SERVICE,
};

/** All functions of the machine may be called twice: the second finds what the first has saved. */
const retriesOf = (deaths: string[]) => [
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
  NOT_READY,
  {
    // The function crashed, or Lambda ended it.
    ErrorEquals: ['Lambda.Unknown', 'Runtime.ExitError', 'Sandbox.Timedout', ...deaths],
    ...DEATH,
  },
  STORE_UNAVAILABLE,
];

/** For functions in states that end with the time of a run or of a wait, which is not granted twice. */
export const FUNCTION_RETRIES = retriesOf([]);

/** For functions whose states last longer than the functions themselves: no answer came, though there must be one. */
export const TIMED_FUNCTION_RETRIES = retriesOf(['States.Timeout']);

/** For starting a nested execution; starting it twice with the same input gives the same one. */
export const START_RETRIES = [
  {
    ErrorEquals: [
      'StepFunctions.AWSStepFunctionsException',
      // Without "Exception" in the documentation, and with it in histories.
      'StepFunctions.ExecutionLimitExceeded',
      'StepFunctions.ExecutionLimitExceededException',
      'StepFunctions.SdkClientException',
    ],
    ...SERVICE_FAULT,
  },
];

/**
 * For starting an Express execution, which two equal requests would start twice: only if the service has no room for
 * it. Errors for which the SDK has no class, such as throttling, have the name that all its errors share.
 */
export const LEAF_RETRIES = [
  {
    ErrorEquals: ['Sfn.KmsThrottlingException', 'Sfn.SfnException', 'Sfn.ThrottlingException'],
    ...SERVICE_FAULT,
  },
];

/** For starting one that goes on beside: its state waits for the request alone. */
export const START_ALONE_RETRIES = [
  ...START_RETRIES,
  {
    ErrorEquals: ['States.Timeout'],
    ...DEATH,
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
