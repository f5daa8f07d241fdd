import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import {
  parseExpression,
  parseMembers,
  parseTemplate,
  type Expression,
  type Template,
} from '../expressions/expression.ts';
import { parseJson } from '../expressions/json-value.ts';
import {
  toTaskResource,
  type Assign,
  type Catcher,
  type ChoiceRule,
  type ChoiceState,
  type Definition,
  type FallibleState,
  type NumberField,
  type Retrier,
  type State,
  type StateBase,
  type States,
  type TaskResource,
  type TextField,
  type WaitState,
} from './definition.ts';

/** The definitions that were read last, with their expressions: most processes read two, however often they open them. */
const latest: { text: string; definition: Definition }[] = [];
const MOST_LATEST = 2;

/**
 * Reads a definition that `checkDefinition` has found nothing against into the form that runs.
 * @param text JSON
 */
export function parseDefinition(text: string): Definition {
  const known = latest.find((one) => one.text === text);
  if (known !== undefined) return known.definition;
  const definition = toDefinition(asObject(parseJson(text)));
  latest.splice(MOST_LATEST - 1);
  latest.unshift({ text, definition });
  return definition;
}

function toDefinition(definition: JsonObject): Definition {
  const { TimeoutSeconds: timeout } = definition;
  return { ...toStates(definition), timeoutSeconds: typeof timeout === 'number' ? timeout : undefined };
}

function toStates(holder: JsonObject): States {
  const states = Object.entries(asObject(holder['States'])).map(([name, state]): [string, State] => [
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
      return { ...base, type: 'Fail', error: textField(state, 'Error'), cause: textField(state, 'Cause') };
    case 'Wait':
      return { ...base, type: 'Wait', until: toWaitEnd(state) };
    case 'Choice':
      return toChoice(base, state);
    case 'Task':
      return {
        ...base,
        ...toFallible(state),
        type: 'Task',
        resource: toResource(textAt(state, 'Resource')),
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
        items: listField(state, 'Items'),
        itemSelector: template(state, 'ItemSelector'),
        processor: toStates(asObject(state['ItemProcessor'])),
        maxConcurrency: numberField(state, 'MaxConcurrency') ?? 0,
        toleratedFailureCount: numberField(state, 'ToleratedFailureCount'),
        toleratedFailurePercentage: numberField(state, 'ToleratedFailurePercentage'),
      };
    default:
      throw unread('a type of state', state['Type']);
  }
}

function toWaitEnd(state: JsonObject): WaitState['until'] {
  const seconds = numberField(state, 'Seconds');
  if (seconds !== undefined) return { seconds };
  const timestamp = textField(state, 'Timestamp');
  if (timestamp === undefined) throw unread('a time to wait for', undefined);
  return { timestamp };
}

function toResource(arn: string): TaskResource {
  const resource = toTaskResource(arn);
  if (resource === undefined) throw unread('a resource', arn);
  return resource;
}

function toChoice(base: StateBase, state: JsonObject): ChoiceState {
  const rules = listAt(state, 'Choices').map((item, index): ChoiceRule => {
    const rule = asObject(item);
    const at = `Choices[${index}]`;
    return {
      condition: expressionAt(rule, 'Condition', `${at}/Condition`) ?? rule['Condition'] === true,
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
      const number = <T>(key: string, otherwise: T) =>
        typeof retrier[key] === 'number' ? retrier[key] : otherwise;
      return {
        errors: listAt(retrier, 'ErrorEquals').map(String),
        intervalSeconds: number('IntervalSeconds', 1),
        maxAttempts: number('MaxAttempts', 3),
        backoffRate: number('BackoffRate', 2),
        maxDelaySeconds: number('MaxDelaySeconds', Infinity),
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
  return isJsonObject(value) ? parseMembers(value, location) : undefined;
}

function numberField(holder: JsonObject, key: string): NumberField | undefined {
  const value = holder[key];
  return typeof value === 'number' ? value : expressionAt(holder, key);
}

function textField(holder: JsonObject, key: string): TextField | undefined {
  const value = holder[key];
  return expressionAt(holder, key) ?? (typeof value === 'string' ? value : undefined);
}

function listField(holder: JsonObject, key: string): Expression | Template[] | undefined {
  const value = holder[key];
  return Array.isArray(value)
    ? value.map((item, index) => parseTemplate(item, `${key}[${index}]`))
    : expressionAt(holder, key);
}

function expressionAt(holder: JsonObject, key: string, location = key): Expression | undefined {
  const value = holder[key];
  return typeof value === 'string' ? parseExpression(value, location) : undefined;
}

function textAt(holder: JsonObject, key: string): string {
  const value = holder[key];
  if (typeof value !== 'string') throw unread(key, value);
  return value;
}

function listAt(holder: JsonObject, key: string): Json[] {
  const value = holder[key];
  return Array.isArray(value) ? value : [];
}

function asObject(value: Json | undefined): JsonObject {
  if (!isJsonObject(value)) throw unread('an object', value);
  return value;
}

/** For a definition that was not checked. */
function unread(what: string, value: Json | undefined): TypeError {
  return new TypeError(`expected ${what} but found ${JSON.stringify(value)}`);
}
