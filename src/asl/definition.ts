import type { Json } from '../json.ts';
import { parseExpression, parseTemplate, type Template } from './template.ts';
import type { Expression } from './expression.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';

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

interface StateBase {
  name: string;
  /** The state that follows, or undefined at the end. */
  next: string | undefined;
  output: Template | undefined;
  assign: Assign | undefined;
}

/** The variables that a state sets, by name. */
export type Assign = [name: string, template: Template][];

/** A number that stands in the definition or is computed. */
export type NumberField = number | Expression;

export interface PassState extends StateBase {
  type: 'Pass';
}

export interface SucceedState extends StateBase {
  type: 'Succeed';
}

export interface FailState extends StateBase {
  type: 'Fail';
  error: Template | undefined;
  cause: Template | undefined;
}

export interface WaitState extends StateBase {
  type: 'Wait';
  seconds: NumberField | undefined;
  timestamp: Template | undefined;
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

/** What states have in common that can fail for reasons of their own, and go on. */
export interface FallibleState extends StateBase {
  retry: Retrier[];
  catch: Catcher[];
}

export interface TaskState extends FallibleState {
  type: 'Task';
  resource: string;
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
  items: Template | undefined;
  itemSelector: Template | undefined;
  processor: States;
  maxConcurrency: NumberField | undefined;
  toleratedFailureCount: NumberField | undefined;
  toleratedFailurePercentage: NumberField | undefined;
}

export interface Retrier {
  errors: string[];
  intervalSeconds: number;
  maxAttempts: number;
  backoffRate: number;
  maxDelaySeconds: number | undefined;
  fullJitter: boolean;
}

export interface Catcher {
  errors: string[];
  next: string;
  output: Template | undefined;
  assign: Assign | undefined;
}

/** Turns a definition that `checkDefinition` has found nothing against into the form that runs. */
export function toDefinition(definition: JsonObject): Definition {
  const { TimeoutSeconds: timeout } = definition;
  return { ...toStates(definition), timeoutSeconds: typeof timeout === 'number' ? timeout : undefined };
}

function toStates(holder: JsonObject): States {
  const states = Object.entries(objectAt(holder, 'States')).map(([name, state]): [string, State] => [
    name,
    toState(name, asObject(state)),
  ]);
  return { startAt: textAt(holder, 'StartAt'), states: new Map(states) };
}

function toState(name: string, state: JsonObject): State {
  const base: StateBase = {
    name,
    next: typeof state['Next'] === 'string' ? state['Next'] : undefined,
    output: template(state, 'Output'),
    assign: assign(state, 'Assign'),
  };
  switch (state['Type']) {
    case 'Pass':
    case 'Succeed':
      return { ...base, type: state['Type'] };
    case 'Fail':
      return { ...base, type: 'Fail', error: template(state, 'Error'), cause: template(state, 'Cause') };
    case 'Wait':
      return {
        ...base,
        type: 'Wait',
        seconds: numberField(state, 'Seconds'),
        timestamp: template(state, 'Timestamp'),
      };
    case 'Choice':
      return toChoice(base, state);
    case 'Task':
      return {
        ...base,
        ...toFallible(state),
        type: 'Task',
        resource: textAt(state, 'Resource'),
        arguments: template(state, 'Arguments'),
        timeoutSeconds: numberField(state, 'TimeoutSeconds'),
        heartbeatSeconds: numberField(state, 'HeartbeatSeconds'),
      };
    case 'Parallel':
      return {
        ...base,
        ...toFallible(state),
        type: 'Parallel',
        arguments: template(state, 'Arguments'),
        branches: listAt(state, 'Branches').map((branch) => toStates(asObject(branch))),
      };
    case 'Map':
      return {
        ...base,
        ...toFallible(state),
        type: 'Map',
        items: template(state, 'Items'),
        itemSelector: template(state, 'ItemSelector'),
        processor: toStates(objectAt(state, 'ItemProcessor')),
        maxConcurrency: numberField(state, 'MaxConcurrency'),
        toleratedFailureCount: numberField(state, 'ToleratedFailureCount'),
        toleratedFailurePercentage: numberField(state, 'ToleratedFailurePercentage'),
      };
    default:
      throw new TypeError(`state "${name}" is of no known type: ${JSON.stringify(state['Type'])}`);
  }
}

function toChoice(base: StateBase, state: JsonObject): ChoiceState {
  const rules = listAt(state, 'Choices').map((item, index): ChoiceRule => {
    const rule = asObject(item);
    const at = `Choices[${index}]`;
    const condition = rule['Condition'];
    return {
      condition:
        typeof condition === 'string'
          ? (parseExpression(condition, `${at}/Condition`) ?? false)
          : condition === true,
      next: textAt(rule, 'Next'),
      output: template(rule, 'Output', `${at}/Output`),
      assign: assign(rule, 'Assign', `${at}/Assign`),
    };
  });
  const fallback = state['Default'];
  const otherwise =
    typeof fallback === 'string' ? { next: fallback, output: base.output, assign: base.assign } : undefined;
  return { ...base, type: 'Choice', rules, otherwise };
}

function toFallible(state: JsonObject): Pick<FallibleState, 'retry' | 'catch'> {
  return {
    retry: listAt(state, 'Retry').map((item): Retrier => {
      const retrier = asObject(item);
      const number = (key: string, otherwise: number) =>
        typeof retrier[key] === 'number' ? retrier[key] : otherwise;
      return {
        errors: listAt(retrier, 'ErrorEquals').map(String),
        intervalSeconds: number('IntervalSeconds', 1),
        maxAttempts: number('MaxAttempts', 3),
        backoffRate: number('BackoffRate', 2),
        maxDelaySeconds:
          typeof retrier['MaxDelaySeconds'] === 'number' ? retrier['MaxDelaySeconds'] : undefined,
        fullJitter: retrier['JitterStrategy'] === 'FULL',
      };
    }),
    catch: listAt(state, 'Catch').map((item, index): Catcher => {
      const catcher = asObject(item);
      const at = `Catch[${index}]`;
      return {
        errors: listAt(catcher, 'ErrorEquals').map(String),
        next: textAt(catcher, 'Next'),
        output: template(catcher, 'Output', `${at}/Output`),
        assign: assign(catcher, 'Assign', `${at}/Assign`),
      };
    }),
  };
}

function template(holder: JsonObject, key: string, location = key): Template | undefined {
  const value = holder[key];
  return value === undefined ? undefined : parseTemplate(value, location);
}

function assign(holder: JsonObject, key: string, location = key): Assign | undefined {
  const value = holder[key];
  if (!isJsonObject(value)) return undefined;
  return Object.entries(value).map(([name, member]) => [name, parseTemplate(member, `${location}/${name}`)]);
}

function numberField(holder: JsonObject, key: string): NumberField | undefined {
  const value = holder[key];
  return typeof value === 'string'
    ? parseExpression(value, key)
    : typeof value === 'number'
      ? value
      : undefined;
}

function textAt(holder: JsonObject, key: string): string {
  const value = holder[key];
  if (typeof value !== 'string') throw new TypeError(`${key} must be a text but is ${JSON.stringify(value)}`);
  return value;
}

function objectAt(holder: JsonObject, key: string): JsonObject {
  return asObject(holder[key]);
}

function listAt(holder: JsonObject, key: string): Json[] {
  const value = holder[key];
  return Array.isArray(value) ? value : [];
}

function asObject(value: Json | undefined): JsonObject {
  if (!isJsonObject(value)) throw new TypeError(`expected an object but found ${JSON.stringify(value)}`);
  return value;
}
