import type { Json } from '../json.ts';
import { checkExpressions, type Sight } from './check-expressions.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import type { Problems } from './problems.ts';
import { ANY_STATE, CHECKS, ITEMS, STATES, type FieldCheck, type ItemShape } from './state-fields.ts';
import { TASK_RESOURCES } from './task-resources.ts';

/** Checks everything about a state but where it leads and what is within. */
export function checkStateShape(
  problems: Problems,
  state: JsonObject,
  location: string,
  variables: ReadonlySet<string>,
): void {
  const type = state['Type'];
  const shape = typeof type === 'string' && Object.hasOwn(STATES, type) ? STATES[type] : undefined;
  if (shape === undefined) {
    const what = type === undefined ? 'the type is missing' : `there is no type ${JSON.stringify(type)}`;
    problems.error(`${location}/Type`, `${what}, only ${Object.keys(STATES).join(', ')}`);
    return;
  }
  checkFields(problems, state, location, { ...ANY_STATE, ...shape.fields }, shape.required);
  if ('Next' in shape.fields && (state['Next'] === undefined) === (state['End'] === undefined)) {
    problems.error(location, 'one of Next and End is needed, and only one');
  }
  if (type === 'Wait' && (state['Seconds'] === undefined) === (state['Timestamp'] === undefined)) {
    problems.error(location, 'one of Seconds and Timestamp is needed, and only one');
  }
  if (type === 'Task') checkTask(problems, state, location);

  checkSight(problems, state, location, variables, shape.sees);
  for (const [key, item] of Object.entries(ITEMS))
    checkItems(problems, state, location, key, item, variables);
  checkCatchAll(problems, state, location, 'Retry');
  checkCatchAll(problems, state, location, 'Catch');
}

/** Checks that an object has the fields that it must have, no unknown ones, and in each what it may hold. */
export function checkFields(
  problems: Problems,
  holder: JsonObject,
  location: string,
  fields: Record<string, FieldCheck>,
  required: string[],
): void {
  for (const [name, value] of Object.entries(holder)) {
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check === undefined) {
      problems.error(`${location}/${name}`, `the field "${name}" is not supported`);
    } else if (!CHECKS[check](value)) {
      problems.error(`${location}/${name}`, `expected ${check} but found ${shorten(value)}`);
    }
  }
  for (const name of required) {
    if (holder[name] === undefined) problems.error(location, `the field "${name}" is missing`);
  }
}

function checkTask(problems: Problems, state: JsonObject, location: string): void {
  const {
    Resource: resource,
    Arguments: given,
    TimeoutSeconds: timeout,
    HeartbeatSeconds: heartbeat,
  } = state;
  if (typeof resource === 'string') {
    const known = TASK_RESOURCES.find(({ matches }) => matches.test(resource));
    if (known === undefined) {
      problems.error(
        `${location}/Resource`,
        `the resource "${resource}" is not supported, only a Lambda function's ARN, lambda:invoke and states:startExecution`,
      );
    } else if (known.arguments !== undefined && isJsonObject(given)) {
      for (const name of Object.keys(given)) {
        if (!known.arguments.includes(name)) {
          problems.error(`${location}/Arguments/${name}`, `the argument "${name}" is not supported`);
        }
      }
    }
  }
  if (typeof timeout === 'number' && typeof heartbeat === 'number' && heartbeat >= timeout) {
    problems.error(`${location}/HeartbeatSeconds`, 'HeartbeatSeconds must be less than TimeoutSeconds');
  }
}

function checkItems(
  problems: Problems,
  state: JsonObject,
  location: string,
  key: string,
  shape: ItemShape,
  variables: ReadonlySet<string>,
): void {
  const list = state[key];
  if (!Array.isArray(list)) return;
  list.forEach((item, index) => {
    const at = `${location}/${key}/${index}`;
    if (!isJsonObject(item)) {
      problems.error(at, `expected an object but found ${shorten(item)}`);
      return;
    }
    checkFields(problems, item, at, shape.fields, shape.required);
    checkSight(problems, item, at, variables, shape.sees);
  });
}

/** Checks the expressions of an object, each of which may look at a part of `$states`. */
function checkSight(
  problems: Problems,
  holder: JsonObject,
  location: string,
  variables: ReadonlySet<string>,
  extra: string[],
): void {
  const everywhere: Sight = { variables, states: ['input', 'context'] };
  const atTheEnd: Sight = { variables, states: [...everywhere.states, ...extra] };
  for (const [name, value] of Object.entries(holder)) {
    if (NOT_EVALUATED.has(name)) continue;
    const sight = name === 'Output' || name === 'Assign' ? atTheEnd : everywhere;
    checkExpressions(problems, value, `${location}/${name}`, sight);
    if (name === 'Assign' && isJsonObject(value)) checkVariableNames(problems, value, `${location}/Assign`);
  }
}

/** Fields that hold no expressions, or hold them in objects that are checked on their own. */
const NOT_EVALUATED = new Set(['Comment', 'Branches', 'ItemProcessor', 'Choices', 'Catch', 'Retry']);

function checkVariableNames(problems: Problems, assign: JsonObject, location: string): void {
  for (const name of Object.keys(assign)) {
    if (!/^[\p{ID_Start}_][\p{ID_Continue}_]{0,79}$/u.test(name) || name === 'states') {
      problems.error(`${location}/${name}`, `"${name}" cannot be the name of a variable`);
    }
  }
}

/** States.ALL must stand alone, and last. */
function checkCatchAll(problems: Problems, state: JsonObject, location: string, key: string): void {
  const list = state[key];
  if (!Array.isArray(list)) return;
  list.forEach((item, index) => {
    const names = isJsonObject(item) ? item['ErrorEquals'] : undefined;
    if (!Array.isArray(names) || !names.includes('States.ALL')) return;
    if (names.length === 1 && index === list.length - 1) return;
    problems.error(
      `${location}/${key}/${index}/ErrorEquals`,
      'States.ALL must stand alone, and in the last place',
    );
  });
}

function shorten(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
