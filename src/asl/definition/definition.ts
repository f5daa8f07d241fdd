import type { Expression, Member, Template } from '../expressions/expression.ts';

/** A definition as the interpreter runs it: expressions parsed, defaults in place. */
export interface Definition extends States {
  /** Seconds for a whole execution. */
  timeoutSeconds: number | undefined;
}

/** States that lead to one another: a whole definition, a branch of a Parallel, the processor of a Map. */
export interface States {
  startAt: string;
  states: ReadonlyMap<string, State>;
}

export type State =
  PassState | TaskState | ChoiceState | WaitState | SucceedState | FailState | ParallelState | MapState;

export interface StateBase {
  name: string;
  /** The state that follows, or undefined at the end. */
  next: string | undefined;
  output: Template | undefined;
  assign: Assign | undefined;
}

/** The variables that a state sets, by name. */
export type Assign = Member[];

/** A number that is in the definition or is computed. */
export type NumberField = number | Expression;

/** A text that is in the definition or is computed. */
export type TextField = string | Expression;

export interface PassState extends StateBase {
  type: 'Pass';
}

export interface SucceedState extends StateBase {
  type: 'Succeed';
}

export interface FailState extends StateBase {
  type: 'Fail';
  error: TextField | undefined;
  cause: TextField | undefined;
}

export interface WaitState extends StateBase {
  type: 'Wait';
  until: { seconds: NumberField } | { timestamp: TextField };
}

export interface ChoiceState extends StateBase {
  type: 'Choice';
  rules: ChoiceRule[];
  /** The rule that applies when no condition holds, its Output and Assign being those of the state. */
  otherwise: Omit<ChoiceRule, 'condition'> | undefined;
}

export interface ChoiceRule {
  condition: Expression | boolean;
  next: string;
  output: Template | undefined;
  assign: Assign | undefined;
}

/** The fields of states that can fail and then retry or go on elsewhere. */
export interface FallibleState extends StateBase {
  retry: Retrier[];
  catch: Catcher[];
}

export interface TaskState extends FallibleState {
  type: 'Task';
  resource: TaskResource;
  arguments: Template | undefined;
  timeoutSeconds: NumberField | undefined;
  heartbeatSeconds: NumberField | undefined;
}

export interface ParallelState extends FallibleState {
  type: 'Parallel';
  arguments: Template | undefined;
  branches: States[];
}

export interface MapState extends FallibleState {
  type: 'Map';
  /** The input of the state if left out. */
  items: Expression | Template[] | undefined;
  itemSelector: Template | undefined;
  processor: States;
  /** 0 for as many as the service runs at once. */
  maxConcurrency: NumberField;
  /** Where neither is given, no failure is tolerated; where both are, each of them has to be kept. */
  toleratedFailureCount: NumberField | undefined;
  toleratedFailurePercentage: NumberField | undefined;
}

export interface Retrier {
  errors: string[];
  intervalSeconds: number;
  maxAttempts: number;
  backoffRate: number;
  /** Infinity if left out. */
  maxDelaySeconds: number;
  fullJitter: boolean;
}

export interface Catcher {
  errors: string[];
  next: string;
  output: Template | undefined;
  assign: Assign | undefined;
}

/** The resource that a Task calls: an operation of a service, or a Lambda function by its own ARN. */
export type TaskResource =
  | {
      arn: string;
      /** As events name it. */
      resourceType: 'lambda' | 'states' | 'aws-sdk:sfn';
      /** The operation and its pattern, such as `invoke.waitForTaskToken`. */
      resource: string;
    }
  | { arn: string; resourceType?: undefined };

const OPERATIONS = {
  lambda: /^invoke(\.waitForTaskToken)?$/,
  states: /^startExecution(\.sync|\.sync:2|\.waitForTaskToken)?$/,
  'aws-sdk:sfn': /^startSyncExecution$/,
};

/** Reads the Resource of a Task; undefined for one that the interpreter does not know. */
export function toTaskResource(arn: string): TaskResource | undefined {
  if (/^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[\w-]+(:[\w$-]+)?$/.test(arn)) return { arn };
  const [, resourceType, resource = ''] =
    /^arn:aws[a-z-]*:states:::(lambda|states|aws-sdk:sfn):(.+)$/.exec(arn) ?? [];
  if (resourceType !== 'lambda' && resourceType !== 'states' && resourceType !== 'aws-sdk:sfn')
    return undefined;
  return OPERATIONS[resourceType].test(resource) ? { arn, resourceType, resource } : undefined;
}
