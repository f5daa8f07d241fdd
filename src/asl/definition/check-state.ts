import { isJsonObject, type JsonObject } from '../../json.ts';
import { checkExpressions, type Sight } from './check-expressions.ts';
import { toTaskResource } from './definition.ts';
import { checkFields, shorten, type FieldCheck, type Problems } from './field-checks.ts';

/** The members that an object of a definition may and must have. */
interface ItemShape {
  fields: Record<string, FieldCheck>;
  required: string[];
  /** The members that Output and Assign find in `$states` beside the input and the context. */
  sees: string[];
}

/** The fields that every state may have. */
const ANY_STATE: Record<string, FieldCheck> = {
  Type: 'text',
  Comment: 'text',
  QueryLanguage: 'language',
};
const GOES_ON: Record<string, FieldCheck> = { Next: 'text', End: 'true', Output: 'value', Assign: 'object' };
const CAN_FAIL: Record<string, FieldCheck> = { Retry: 'list', Catch: 'list' };

/** The objects in lists of a state: their fields, which they must have, and what of `$states` their ends may see. */
const ITEMS: Record<string, ItemShape> = {
  Retry: {
    fields: {
      Comment: 'text',
      ErrorEquals: 'list of error names',
      IntervalSeconds: 'positive integer',
      MaxAttempts: 'integer of 0 or more',
      BackoffRate: 'number of 1 or more',
      MaxDelaySeconds: 'positive integer',
      JitterStrategy: 'FULL or NONE',
    },
    required: ['ErrorEquals'],
    sees: [],
  },
  Catch: {
    fields: {
      Comment: 'text',
      ErrorEquals: 'list of error names',
      Next: 'text',
      Output: 'value',
      Assign: 'object',
    },
    required: ['ErrorEquals', 'Next'],
    sees: ['errorOutput'],
  },
  Choices: {
    fields: {
      Comment: 'text',
      Condition: 'condition in {% %}',
      Next: 'text',
      Output: 'value',
      Assign: 'object',
    },
    required: ['Condition', 'Next'],
    sees: [],
  },
};

/**
 * The states: their fields beside those of any state, which they must have, and what of `$states` their ends may see.
 */
const STATES: Record<string, ItemShape> = {
  Pass: { fields: GOES_ON, required: [], sees: [] },
  Succeed: { fields: { Output: 'value' }, required: [], sees: [] },
  Fail: { fields: { Error: 'text or expression', Cause: 'text or expression' }, required: [], sees: [] },
  Choice: {
    fields: { Choices: 'non-empty list', Default: 'text', Output: 'value', Assign: 'object' },
    required: ['Choices'],
    sees: [],
  },
  Wait: {
    fields: {
      ...GOES_ON,
      Seconds: 'integer of 0 or more or expression',
      Timestamp: 'timestamp or expression',
    },
    required: [],
    sees: [],
  },
  Task: {
    fields: {
      ...GOES_ON,
      ...CAN_FAIL,
      Resource: 'text',
      Arguments: 'value',
      TimeoutSeconds: 'positive integer or expression',
      HeartbeatSeconds: 'positive integer or expression',
    },
    required: ['Resource'],
    sees: ['result'],
  },
  Parallel: {
    fields: { ...GOES_ON, ...CAN_FAIL, Arguments: 'value', Branches: 'non-empty list' },
    required: ['Branches'],
    sees: ['result'],
  },
  Map: {
    fields: {
      ...GOES_ON,
      ...CAN_FAIL,
      Items: 'list or expression',
      ItemSelector: 'value',
      ItemProcessor: 'object',
      MaxConcurrency: 'integer of 0 or more or expression',
      ToleratedFailureCount: 'integer of 0 or more or expression',
      ToleratedFailurePercentage: 'percentage or expression',
    },
    required: ['ItemProcessor'],
    sees: ['result'],
  },
};

/** The arguments that the operations of a service take. */
const ARGUMENTS = {
  lambda: ['FunctionName', 'Payload'],
  states: ['StateMachineArn', 'Name', 'Input'],
  'aws-sdk:sfn': ['StateMachineArn', 'Name', 'Input'],
};

/** Checks everything about a state but its target and its inner states. */
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

function checkTask(problems: Problems, state: JsonObject, location: string): void {
  const {
    Resource: resource,
    Arguments: given,
    TimeoutSeconds: timeout,
    HeartbeatSeconds: heartbeat,
  } = state;
  if (typeof resource === 'string') {
    const known = toTaskResource(resource);
    if (known === undefined) {
      problems.error(
        `${location}/Resource`,
        `the resource "${resource}" is not supported, only a Lambda function's ARN, lambda:invoke, states:startExecution and aws-sdk:sfn:startSyncExecution`,
      );
    } else if (known.resourceType !== undefined && isJsonObject(given)) {
      for (const name of Object.keys(given)) {
        if (!ARGUMENTS[known.resourceType].includes(name)) {
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
      'States.ALL must be alone and in the last place',
    );
  });
}
