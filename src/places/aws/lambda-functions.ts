import {
  InvokeCommand,
  LambdaClient,
  LambdaServiceException,
  ResourceNotFoundException,
  TooManyRequestsException,
} from '@aws-sdk/client-lambda';
import * as v from 'valibot';
import { messageOf } from '../../errors.ts';
import { type Json, parseJson } from '../../json.ts';
import type { FunctionResult, InvokeFunction } from '../../core/tool-contracts/tool.ts';
import { defined } from '../../defined.ts';
import { INVOCATION_LIMITS } from './client-limits.ts';

/**
 * Calls Lambda functions and waits for them, without retries: the caller decides whether a function that did not answer
 * may be called again. Region and credentials are those of the environment; the region of an ARN takes precedence.
 * @param endpoint of Lambda's API, in place of AWS's own: a local runtime, for which any credentials will do
 */
export function lambdaFunctions(endpoint?: string): InvokeFunction {
  const clients = new Map<string | undefined, LambdaClient>();
  const clientFor = (region: string | undefined) => {
    const known = clients.get(region);
    if (known !== undefined) return known;
    const client = new LambdaClient({
      maxAttempts: 1,
      ...INVOCATION_LIMITS,
      ...defined({ region }),
      ...(endpoint !== undefined && {
        endpoint,
        region: region ?? 'us-east-1',
        credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
      }),
    });
    clients.set(region, client);
    return client;
  };
  return async (name, call) => {
    const region = /^arn:[^:]*:lambda:([^:]+):/.exec(name)?.[1];
    const command = new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(call.arguments) });
    try {
      const { Payload, FunctionError } = await clientFor(region).send(command, { abortSignal: call.signal });
      const text = Payload?.transformToString() ?? '';
      return toResult(text === '' ? 'null' : text, FunctionError !== undefined);
    } catch (thrown) {
      if (call.signal.aborted) throw thrown;
      return { failed: inWords(thrown, name) };
    }
  };
}

/** Lambda's answer in place of a result: an error of the function, or of its runtime (Lambda, "Invoke"). */
const Fault = v.object({ errorType: v.optional(v.string(), ''), errorMessage: v.optional(v.string(), '') });

function toResult(text: string, isFault: boolean): FunctionResult {
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return { failed: 'it answered with something that is not JSON' };
  }
  if (!isFault) return { value };
  const fault = v.safeParse(Fault, value);
  const { errorType, errorMessage } = fault.success ? fault.output : { errorType: '', errorMessage: '' };
  if (errorType === 'Function.ResponseSizeTooLarge') return { failed: 'its result is larger than 6 MB' };
  return { failed: [errorType, errorMessage].filter(Boolean).join(': ') || 'it did not say why' };
}

function inWords(thrown: unknown, name: string): string {
  if (thrown instanceof TooManyRequestsException) {
    return 'Lambda has no room for the call now (throttled): try again later';
  }
  if (thrown instanceof ResourceNotFoundException) return `there is no Lambda function "${name}"`;
  if (thrown instanceof LambdaServiceException) return `${thrown.name}: ${thrown.message}`;
  return `Lambda could not be asked: ${messageOf(thrown)}`;
}
