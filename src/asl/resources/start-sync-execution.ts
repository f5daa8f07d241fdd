import type { Json, JsonObject } from '../../json.ts';
import { describeToParent } from '../executions/descriptions.ts';
import { StatesApiError } from '../executions/errors.ts';
import type { EndStatus, Execution } from '../executions/execution.ts';
import { parseInput } from './start-execution.ts';
import type { TaskAttempt } from './task-attempt.ts';

/**
 * `arn:aws:states:::aws-sdk:sfn:startSyncExecution`: starts an execution of an Express machine and waits for its end,
 * which is the result, however it ended. The service has no way to stop one: it goes on when its task ends without it.
 */
export async function runStartSyncExecution(attempt: TaskAttempt): Promise<Json> {
  const [stateMachineArn, { Name: name, Input: input = '{}' }] = attempt.target('StateMachineArn');
  attempt.start();
  let child: Execution;
  try {
    child = attempt.visit.thread.execution.environment.startExecution({
      stateMachineArn,
      ...(typeof name === 'string' && { name }),
      // Operations of the SDK take no values in place of texts.
      input: parseInput(typeof input === 'string' ? input : JSON.stringify(input)),
      type: 'EXPRESS',
    });
  } catch (thrown) {
    if (!(thrown instanceof StatesApiError)) throw thrown;
    throw attempt.fail(`Sfn.${thrown.name}Exception`, `${thrown.message} (Service: Sfn, Status Code: 400)`);
  }
  await attempt.wait<EndStatus>((resolve) => {
    void child.ended.then(resolve);
    return () => {};
  });
  return attempt.succeed(toResult(child));
}

function toResult(child: Execution): JsonObject {
  const { startDate, stopDate = startDate } = child;
  const {
    RedriveCount: _count,
    RedriveStatus: _status,
    RedriveStatusReason: _reason,
    ...described
  } = describeToParent(child, false);
  return {
    ...described,
    BillingDetails: { BilledDurationInMilliseconds: stopDate - startDate, BilledMemoryUsedInMB: 64 },
    StartDate: new Date(startDate).toISOString(),
    StopDate: new Date(stopDate).toISOString(),
  };
}
