import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../json.ts';
import { describeToParent } from '../executions/descriptions.ts';
import { StatesApiError } from '../executions/errors.ts';
import type { EndStatus, Execution } from '../executions/execution.ts';
import { parseJson } from '../expressions/json-value.ts';
import { refusalText } from './refusal-text.ts';
import type { TaskAttempt } from './task-attempt.ts';

/**
 * `arn:aws:states:::states:startExecution`: starts an execution and goes on; with `.sync` or `.sync:2` waits for its
 * end, with `.waitForTaskToken` for a token. A child that is waited for is stopped when its task ends without it.
 */
export async function runStartExecution(attempt: TaskAttempt, operation: string): Promise<Json> {
  const [stateMachineArn, given] = attempt.target('StateMachineArn');
  attempt.start();
  const child = startChild(attempt, stateMachineArn, given);
  switch (operation) {
    case 'startExecution.sync':
      return waitForChild(attempt, child, false);
    case 'startExecution.sync:2':
      return waitForChild(attempt, child, true);
    default:
      return attempt.answered(toStarted(child));
  }
}

/** @throws StateFailure StepFunctions.<error>Exception */
function startChild(
  attempt: TaskAttempt,
  stateMachineArn: string,
  { Name: name, Input: input = {} }: JsonObject,
): Execution {
  try {
    return attempt.visit.thread.execution.environment.startExecution({
      stateMachineArn,
      ...(typeof name === 'string' && { name }),
      // A text is JSON already.
      input: typeof input === 'string' ? parseInput(input) : input,
      type: 'STANDARD',
    });
  } catch (thrown) {
    if (!(thrown instanceof StatesApiError)) throw thrown;
    const { name: error } = thrown;
    const refused = { service: 'AWSStepFunctions' as const, status: 400, error, requestId: randomUUID() };
    const cause = refusalText(thrown.message, refused);
    throw attempt.fail(`StepFunctions.${thrown.name}Exception`, cause);
  }
}

/** @param parsed whether the result has the input and output of the child as values, or as JSON texts */
async function waitForChild(attempt: TaskAttempt, child: Execution, parsed: boolean): Promise<Json> {
  let status: EndStatus;
  try {
    attempt.submitted(toStarted(child));
    status = await attempt.wait<EndStatus>((resolve) => {
      void child.ended.then(resolve);
      return () => child.stop();
    });
  } catch (thrown) {
    child.stop();
    throw thrown;
  }
  if (status === 'SUCCEEDED') return attempt.succeed(describeToParent(child, parsed));
  throw attempt.fail('States.TaskFailed', JSON.stringify(describeToParent(child, false)));
}

/** @throws StatesApiError for a text that is not JSON */
export function parseInput(text: string): Json {
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
