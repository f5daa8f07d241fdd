import { randomUUID } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { StateFailure } from '../executions/errors.ts';
import { LambdaServiceError, type LambdaAnswer } from '../executions/ports.ts';
import { copyJson, NotJson } from '../expressions/json-value.ts';
import { refusalText } from './refusal-text.ts';
import type { TaskAttempt } from './task-attempt.ts';

/** `arn:aws:states:::lambda:invoke`: the result is the whole answer of Lambda's Invoke, the payload one part of it. */
export function runLambdaInvoke(attempt: TaskAttempt): Promise<Json> {
  const [functionName, { Payload: given = {} }] = attempt.target('FunctionName');
  attempt.start();
  return invoke(attempt, functionName, given).then((payload) =>
    attempt.answered(toInvokeResult(payload), payload),
  );
}

/** A function's own ARN as the resource: the result is the payload alone. */
export async function runLambdaFunction(attempt: TaskAttempt): Promise<Json> {
  attempt.start();
  return attempt.succeed(await invoke(attempt, attempt.resource.arn, attempt.input));
}

type Outcome = { answer: LambdaAnswer } | { thrown: unknown };

/**
 * Invokes a function.
 * @returns its payload
 * @throws StateFailure as the function, Lambda or the clock has it
 */
function invoke(attempt: TaskAttempt, functionName: string, given: Json): Promise<Json> {
  const { invokeLambda } = attempt.visit.thread.execution.environment;
  const outcome = attempt.wait<Outcome>((resolve) => {
    const abort = new AbortController();
    const fail = (thrown: unknown) => resolve({ thrown });
    try {
      // Functions may change what they are given; the execution's values stay as they are.
      const invocation = invokeLambda(functionName, copyJson(given), { signal: abort.signal });
      invocation.then((answer) => resolve({ answer }), fail);
    } catch (thrown) {
      fail(thrown);
    }
    return () => abort.abort();
  });
  return outcome.then((ended) => toPayload(attempt, ended));
}

function toPayload(attempt: TaskAttempt, outcome: Outcome): Json {
  if ('thrown' in outcome) throw toServiceFailure(attempt, outcome.thrown);
  const payload = copyPayload(attempt, outcome.answer);
  if (outcome.answer.functionError !== undefined) throw toFunctionFailure(attempt, payload);
  return payload;
}

/** A function that gives nothing gives null, and one that gives what JSON cannot carry fails as in Lambda. */
function copyPayload(attempt: TaskAttempt, { payload = null }: LambdaAnswer): Json {
  try {
    return copyJson(payload);
  } catch (thrown) {
    if (thrown instanceof NotJson) throw attempt.fail('Runtime.MarshalError', thrown.message);
    throw thrown;
  }
}

function toFunctionFailure(attempt: TaskAttempt, payload: Json): StateFailure {
  const text = JSON.stringify(payload);
  if (isJsonObject(payload) && typeof payload['errorType'] === 'string') {
    return attempt.fail(payload['errorType'], text);
  }
  return attempt.fail(
    'Lambda.Unknown',
    `The cause could not be determined because Lambda did not return an error type. Returned payload: ${text}`,
  );
}

function toServiceFailure(attempt: TaskAttempt, reason: unknown): StateFailure {
  if (!(reason instanceof LambdaServiceError)) {
    return attempt.fail('Lambda.SdkClientException', messageOf(reason));
  }
  const { exception, message, details } = reason;
  const cause = refusalText(message, { service: 'AWSLambda', error: exception, ...details });
  return attempt.fail(`Lambda.${exception}`, cause);
}

/** The HTTP metadata of an invocation; the same for all, since only the payload is of interest. */
const HTTP_METADATA: JsonObject = {
  AllHttpHeaders: { 'Content-Type': ['application/json'], 'X-Amz-Executed-Version': ['$LATEST'] },
  HttpHeaders: { 'Content-Type': 'application/json', 'X-Amz-Executed-Version': '$LATEST' },
  HttpStatusCode: 200,
};

function toInvokeResult(payload: Json): Json {
  return {
    ExecutedVersion: '$LATEST',
    Payload: payload,
    SdkHttpMetadata: HTTP_METADATA,
    SdkResponseMetadata: { RequestId: randomUUID() },
    StatusCode: 200,
  };
}
