import type { Json } from '../../json.ts';
import type { NumberField, TaskState } from '../definition/definition.ts';
import type { Exit } from '../executions/thread.ts';
import type { Visit } from '../executions/visit.ts';
import { whenThere, type Soon } from '../expressions/soon.ts';
import { runLambdaFunction, runLambdaInvoke } from '../resources/lambda-invoke.ts';
import { runStartExecution } from '../resources/start-execution.ts';
import { runStartSyncExecution } from '../resources/start-sync-execution.ts';
import { TaskAttempt, type TaskLimits } from '../resources/task-attempt.ts';

/** A task's own limits are whole seconds, up to a year. */
const MAX_SECONDS = 99_999_999;

/** Runs a task with its arguments, and gives its result. */
export function enterTask(visit: Visit, state: TaskState): Soon<Exit> {
  if (state.resource.arn.endsWith('.waitForTaskToken')) visit.issueToken();
  return whenThere(state.arguments === undefined ? visit.input : visit.data(state.arguments), (input) =>
    whenThere(limitsOf(visit, state), async (limits) => {
      const attempt = new TaskAttempt(visit, state.resource, limits, input);
      let result: Json;
      try {
        result = await run(attempt);
      } finally {
        attempt.close();
      }
      return visit.exit(state, result, { result });
    }),
  );
}

function limitsOf(visit: Visit, state: TaskState): Soon<TaskLimits> {
  return whenThere(seconds(visit, state.timeoutSeconds, 'TimeoutSeconds'), (timeoutSeconds) =>
    whenThere(seconds(visit, state.heartbeatSeconds, 'HeartbeatSeconds'), (heartbeatSeconds) => ({
      timeoutSeconds,
      heartbeatSeconds,
    })),
  );
}

function run(attempt: TaskAttempt): Promise<Json> {
  const { resource } = attempt;
  switch (resource.resourceType) {
    case 'lambda':
      return runLambdaInvoke(attempt);
    case 'states':
      return runStartExecution(attempt, resource.resource);
    case 'aws-sdk:sfn':
      return runStartSyncExecution(attempt);
    case undefined:
      return runLambdaFunction(attempt);
  }
}

function seconds(visit: Visit, field: NumberField | undefined, name: string): Soon<number | undefined> {
  const accepts = (value: number) => Number.isInteger(value) && value > 0 && value <= MAX_SECONDS;
  return field === undefined
    ? undefined
    : visit.number(field, name, accepts, `an integer from 1 to ${MAX_SECONDS}`);
}
