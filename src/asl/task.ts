import type { TaskState } from './definition.ts';
import type { TaskLimits } from './task-attempt.ts';
import { TASK_RESOURCES } from './task-resources.ts';
import type { Exit, Visit } from './visit.ts';

/** A task's own limits are whole seconds, up to a year. */
const MAX_SECONDS = 99_999_999;

/** Runs a task with its arguments, and gives its result. */
export async function enterTask(visit: Visit, state: TaskState): Promise<Exit> {
  const resource = TASK_RESOURCES.find(({ matches }) => matches.test(state.resource));
  if (resource === undefined) {
    throw new TypeError(`state "${state.name}" has the unknown resource ${state.resource}`);
  }
  if (state.resource.endsWith('.waitForTaskToken')) {
    visit.taskToken = visit.thread.execution.environment.tokens.issue();
  }
  const input = state.arguments === undefined ? visit.input : await visit.data(state.arguments);
  const limits: TaskLimits = {
    timeoutSeconds: await seconds(visit, state, 'timeoutSeconds', 'TimeoutSeconds'),
    heartbeatSeconds: await seconds(visit, state, 'heartbeatSeconds', 'HeartbeatSeconds'),
  };
  const result = await resource.run({ visit, arn: state.resource, arguments: input, limits });
  return visit.exit(state, result, { result });
}

async function seconds(
  visit: Visit,
  state: TaskState,
  key: keyof TaskLimits,
  name: string,
): Promise<number | undefined> {
  const field = state[key];
  const accepts = (value: number) => Number.isInteger(value) && value > 0 && value <= MAX_SECONDS;
  return field === undefined
    ? undefined
    : visit.number(field, name, accepts, `an integer from 1 to ${MAX_SECONDS}`);
}
