import { messageOf } from '../../errors.ts';

const THROTTLED = [
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
];

const NO_ACCESS = [
  'AccessDenied',
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidAccessKeyId',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
];

const NOT_THERE = [
  'ExecutionDoesNotExist',
  'NoSuchBucket',
  'ResourceNotFoundException',
  'StateMachineDoesNotExist',
];

/** Why a service of AWS failed, and what helps; `passes`: it passes without help, so the request may be repeated. */
export function explain(error: unknown): { reason: string; remedy: string; passes?: boolean } {
  const name = error instanceof Error ? error.name : '';
  if (THROTTLED.includes(name)) {
    return { reason: 'too many requests', remedy: 'try again later or raise its limits', passes: true };
  }
  if (NO_ACCESS.includes(name)) {
    return { reason: 'access denied', remedy: 'check the credentials and the permissions of their role' };
  }
  if (NOT_THERE.includes(name)) {
    return { reason: 'not found', remedy: 'check the name and the Region, or deploy the stack' };
  }
  const status = statusOf(error);
  if (status === undefined) {
    const remedy = 'check the network, the Region and the endpoint, and try again';
    // An object that is damaged in storage comes damaged again.
    return { reason: 'no answer', remedy, passes: !/checksum/i.test(messageOf(error)) };
  }
  return {
    reason: 'the service refused the request',
    remedy: 'try again; if it persists, look at the service',
    passes: status === 429 || status >= 500,
  };
}

/** The HTTP status of the answer, which the SDK leaves in `$metadata`; undefined where there was none. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const metadata = error.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}
