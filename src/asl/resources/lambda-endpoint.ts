import { InvokeCommand, LambdaClient, LambdaServiceException } from '@aws-sdk/client-lambda';
import { messageOf } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { LambdaServiceError, type InvokeLambda } from '../executions/ports.ts';
import { parseJson } from '../expressions/json-value.ts';

/**
 * Invokes functions over the Invoke API of Lambda at an endpoint of its own, such as a local runtime. No account is
 * needed: requests are signed with a key that stands for none. A request is sent once, since it is the machine that
 * retries, and takes as long as its task may.
 * @param endpoint such as `http://127.0.0.1:9104`
 */
export function lambdaEndpoint(endpoint: string, region = 'us-east-1'): InvokeLambda {
  // oxlint-disable-next-line cadre/limited-clients -- the task that waits for the function says how long
  const client = new LambdaClient({
    endpoint,
    region,
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts: 1,
    // As many at once as the executions ask for, of which each can have a Map of 40.
    requestHandler: { httpAgent: { maxSockets: Infinity }, httpsAgent: { maxSockets: Infinity } },
  });
  return async (functionName, payload, { signal }) => {
    const command = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(payload) });
    const answer = await client.send(command, { abortSignal: signal }).catch((thrown: unknown) => {
      throw toInvocationError(thrown, endpoint);
    });
    const text = answer.Payload?.transformToString() ?? '';
    return {
      payload: text === '' ? null : parse(text, endpoint),
      ...(answer.FunctionError !== undefined && { functionError: answer.FunctionError }),
    };
  };
}

/**
 * The service goes by the exceptions of Lambda's client: one that this does not have, such as AccessDeniedException,
 * is its AWSLambdaException.
 */
function toInvocationError(thrown: unknown, endpoint: string): Error {
  if (thrown instanceof LambdaServiceException) {
    const { httpStatusCode: status = 0, requestId = 'unknown' } = thrown.$metadata;
    const isKnown = thrown.constructor !== LambdaServiceException;
    return new LambdaServiceError(isKnown ? thrown.name : 'AWSLambdaException', thrown.message, {
      status,
      requestId,
    });
  }
  // A name that stands for several addresses fails at each of them.
  const reasons: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  return new Error(`no answer from ${endpoint}: ${reasons.map(messageOf).join(', ')}`, { cause: thrown });
}

function parse(text: string, endpoint: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new Error(`${endpoint} answered with something other than JSON: ${text.slice(0, 200)}`);
  }
}
