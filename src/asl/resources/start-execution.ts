import { randomUUID } from 'node:crypto';
import type { Json } from '../../json.ts';
import { StatesApiError } from '../api-errors.ts';
import type { Execution } from '../execution.ts';
import { describeToParent } from '../execution-description.ts';
import { isJsonObject, parseJson, type JsonObject } from '../json-value.ts';
import { TaskAttempt, type TaskRequest } from '../task-attempt.ts';

/**
 * `arn:aws:states:::states:startExecution`: starts an execution and goes on; with `.sync` or `.sync:2` waits for its
 * end, with `.waitForTaskToken` for a token. A child that is waited for is stopped when its task ends without it.
 */
export async function runStartExecution(request: TaskRequest): Promise<Json> {
  const { visit, arn, arguments: input, limits } = request;
  const { tokens } = visit.thread.execution.environment;
  const kind = { resourceType: 'states', resource: arn.slice(arn.indexOf('startExecution')), arn };
  if (!isJsonObject(input) || typeof input['StateMachineArn'] !== 'string') {
    throw visit.runtimeFailure(
      `The Arguments '${JSON.stringify(input)}' could not be used to start the Task: [The required field 'StateMachineArn' is missing or no text]`,
    );
  }
  const attempt = new TaskAttempt(visit, kind, limits, input);
  const callback = visit.taskToken === undefined ? undefined : tokens.expect(visit.taskToken);
  try {
    const child = start(attempt, input['StateMachineArn'], input);
    if (callback !== undefined) {
      attempt.submitted(toStarted(child));
      return await callback.outcome(attempt);
    }
    return kind.resource === 'startExecution'
      ? attempt.succeed(toStarted(child))
      : await waitForChild(attempt, child, kind.resource);
  } finally {
    callback?.close();
  }
}

/** @throws StateFailure StepFunctions.<error>Exception */
function start(
  attempt: TaskAttempt,
  stateMachineArn: string,
  { Name: name, Input: input = {} }: JsonObject,
): Execution {
  const { environment } = attempt.visit.thread.execution;
  try {
    return environment.startExecution({
      stateMachineArn,
      ...(typeof name === 'string' && { name }),
      // A text is JSON already.
      input: typeof input === 'string' ? parseInput(input) : input,
    });
  } catch (thrown) {
    if (!(thrown instanceof StatesApiError)) throw thrown;
    const cause = `${thrown.message} (Service: Sfn, Status Code: 400, Request ID: ${randomUUID()})`;
    throw attempt.fail(`StepFunctions.${thrown.name}Exception`, cause);
  }
}

async function waitForChild(attempt: TaskAttempt, child: Execution, resource: string): Promise<Json> {
  try {
    attempt.submitted(toStarted(child));
    await attempt.wait<void>((resolve) => {
      void child.ended.then(resolve);
      return () => child.stop();
    });
  } catch (thrown) {
    child.stop();
    throw thrown;
  }
  if (child.status === 'SUCCEEDED') {
    return attempt.succeed(describeToParent(child, resource === 'startExecution.sync:2'));
  }
  throw attempt.fail('States.TaskFailed', JSON.stringify(describeToParent(child, false)));
}

function parseInput(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw new StatesApiError(
      'InvalidExecutionInput',
      `Invalid State Machine Execution Input: '${text.slice(0, 200)}'`,
    );
  }
}

function toStarted(child: Execution): JsonObject {
  const requestId = randomUUID();
  return {
    ExecutionArn: child.seed.executionArn,
    SdkHttpMetadata: { HttpHeaders: { 'x-amzn-RequestId': requestId }, HttpStatusCode: 200 },
    SdkResponseMetadata: { RequestId: requestId },
    StartDate: child.startDate,
  };
}
