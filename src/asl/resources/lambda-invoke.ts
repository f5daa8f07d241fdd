import { randomUUID } from 'node:crypto';
import type { Json } from '../../json.ts';
import type { StateFailure } from '../failure.ts';
import { copyJson, isJsonObject, NotJson, type JsonObject } from '../json-value.ts';
import { LambdaServiceError, type LambdaAnswer } from '../lambda.ts';
import { TaskAttempt, type TaskRequest } from '../task-attempt.ts';

/** `arn:aws:states:::lambda:invoke`: the result is the whole answer of Lambda's Invoke, the payload one part of it. */
export async function runLambdaInvoke({ visit, arn, arguments: input, limits }: TaskRequest): Promise<Json> {
  if (!isJsonObject(input) || typeof input['FunctionName'] !== 'string') {
    throw visit.runtimeFailure(
      `The Arguments '${JSON.stringify(input)}' could not be used to start the Task: [The required field 'FunctionName' is missing or no text]`,
    );
  }
  const kind = { resourceType: 'lambda', resource: arn.slice(arn.indexOf('invoke')), arn };
  const attempt = new TaskAttempt(visit, kind, limits, input);
  const callback =
    visit.taskToken === undefined
      ? undefined
      : visit.thread.execution.environment.tokens.expect(visit.taskToken);
  try {
    const payload = await invoke(attempt, input['FunctionName'], input['Payload'] ?? {});
    const result = toInvokeResult(payload);
    if (callback === undefined) return attempt.succeed(result, payload);
    attempt.submitted(result);
    return await callback.outcome(attempt);
  } finally {
    callback?.close();
  }
}

/** A function's own ARN as the resource: the result is the payload alone. */
export async function runLambdaFunction({
  visit,
  arn,
  arguments: input,
  limits,
}: TaskRequest): Promise<Json> {
  const attempt = new TaskAttempt(visit, { arn }, limits, input);
  return attempt.succeed(await invoke(attempt, arn, input));
}

/**
 * Invokes a function.
 * @returns its payload
 * @throws StateFailure as the function, Lambda or the clock has it
 */
async function invoke(attempt: TaskAttempt, functionName: string, payload: Json): Promise<Json> {
  const { invokeLambda } = attempt.visit.thread.execution.environment;
  let answer: LambdaAnswer;
  try {
    answer = await attempt.wait<LambdaAnswer>((resolve, reject) => {
      const abort = new AbortController();
      // Functions may change what they are given; the execution's values stay as they are.
      const invocation = async () => invokeLambda(functionName, copyJson(payload), { signal: abort.signal });
      invocation().then(resolve, (thrown: unknown) => reject(new InvocationFailed(thrown)));
      return () => abort.abort();
    });
  } catch (thrown) {
    if (thrown instanceof InvocationFailed) throw toServiceFailure(attempt, thrown.reason);
    throw thrown;
  }
  const copy = copyPayload(attempt, answer);
  if (answer.functionError !== undefined) throw toFunctionFailure(attempt, copy);
  return copy;
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

/** Tells what the invocation threw from what the attempt itself throws. */
class InvocationFailed extends Error {
  override readonly name = 'InvocationFailed';

  constructor(readonly reason: unknown) {
    super('the invocation failed');
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
    return attempt.fail(
      'Lambda.SdkClientException',
      reason instanceof Error ? reason.message : String(reason),
    );
  }
  const { exception, message, details } = reason;
  const cause = `${message} (Service: Lambda, Status Code: ${details.status}, Request ID: ${details.requestId})`;
  return attempt.fail(`Lambda.${exception}`, cause);
}

/** What the HTTP of an invocation looked like; the same for all, since only the payload is of interest. */
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
