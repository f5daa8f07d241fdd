import type { Json } from '../json.ts';
import { runLambdaFunction, runLambdaInvoke } from './resources/lambda-invoke.ts';
import { runStartExecution } from './resources/start-execution.ts';
import type { TaskRequest } from './task-attempt.ts';

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
