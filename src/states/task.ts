import type { Json } from '../json.ts';
import type { TaskState } from './definition.ts';
import { runStartExecution } from './resources/start-execution.ts';
import { runLambdaFunction, runLambdaInvoke } from './resources/lambda-invoke.ts';
import type { TaskLimits, TaskRequest } from './task-attempt.ts';
import type { Exit, Visit } from './visit.ts';

/** A task's own limits are whole seconds, up to a year. */
const MAX_SECONDS = 99_999_999;

/** Runs a task with its arguments, and gives its result. */
export async function enterTask(visit: Visit, state: TaskState): Promise<Exit> {
  const resource = TASK_RESOURCES.find(({ matches }) => matches.test(state.resource));
  if (resource === undefined)
    throw new TypeError(`state "${state.name}" has the unknown resource ${state.resource}`);
  if (state.resource.endsWith('.waitForTaskToken'))
    visit.taskToken = visit.thread.execution.environment.tokens.issue();
  const input = state.arguments === undefined ? visit.input : await visit.evaluate(state.arguments);
  const limits: TaskLimits = {
    timeoutSeconds: await seconds(visit, state, 'timeoutSeconds', 'TimeoutSeconds'),
    heartbeatSeconds: await seconds(visit, state, 'heartbeatSeconds', 'HeartbeatSeconds'),
  };
  const result = await resource.run({ visit, arn: state.resource, arguments: input, limits });
  return visit.exit(state, result, { result });
}

/** The resources that the interpreter knows; a definition with any other is refused. */
export const TASK_RESOURCES: {
  matches: RegExp;
  run: (request: TaskRequest) => Promise<Json>;
  arguments?: string[];
}[] = [
  {
    matches: /^arn:aws[a-z-]*:states:::lambda:invoke(\.waitForTaskToken)?$/,
    run: runLambdaInvoke,
    arguments: ['FunctionName', 'Payload'],
  },
  {
    matches: /^arn:aws[a-z-]*:states:::states:startExecution(\.sync|\.sync:2|\.waitForTaskToken)?$/,
    run: runStartExecution,
    arguments: ['StateMachineArn', 'Name', 'Input'],
  },
  { matches: /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[\w-]+(:[\w$-]+)?$/, run: runLambdaFunction },
];

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
