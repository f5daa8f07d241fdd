import type { Json } from '../json.ts';
import { isJsonObject } from './json-value.ts';
import { parseTimestamp } from './timestamp.ts';

/** What a field may hold. */
export type FieldCheck = keyof typeof CHECKS;

/** What an object of a definition may and must have. */
export interface ItemShape {
  fields: Record<string, FieldCheck>;
  required: string[];
  /** What Output and Assign find in `$states` beside the input and the context. */
  sees: string[];
}

const isExpression = (value: Json) => typeof value === 'string' && /^\s*\{%[\s\S]*%\}\s*$/.test(value);
const isInteger = (value: Json, least: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= least;

/** The kinds of values, by the words in which a refusal tells of them. */
export const CHECKS = {
  text: (value: Json) => typeof value === 'string',
  true: (value: Json) => value === true,
  language: (value: Json) => value === 'JSONata' || value === 'JSONPath',
  object: isJsonObject,
  list: (value: Json) => Array.isArray(value),
  'list with something in it': (value: Json) => Array.isArray(value) && value.length > 0,
  'list or expression': (value: Json) => Array.isArray(value) || isExpression(value),
  'list of error names': (value: Json) =>
    Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string'),
  value: () => true,
  'text or expression': (value: Json) => typeof value === 'string',
  'condition in {% %}': (value: Json) => typeof value === 'boolean' || isExpression(value),
  'timestamp or expression': (value: Json) =>
    typeof value === 'string' && (isExpression(value) || parseTimestamp(value) !== undefined),
  'positive integer': (value: Json) => isInteger(value, 1),
  'integer of 0 or more': (value: Json) => isInteger(value, 0),
  'positive integer or expression': (value: Json) => isInteger(value, 1) || isExpression(value),
  'integer of 0 or more or expression': (value: Json) => isInteger(value, 0) || isExpression(value),
  'percentage or expression': (value: Json) =>
    (typeof value === 'number' && value >= 0 && value <= 100) || isExpression(value),
  'number of 1 or more': (value: Json) => typeof value === 'number' && value >= 1,
  'FULL or NONE': (value: Json) => value === 'FULL' || value === 'NONE',
} satisfies Record<string, (value: Json) => boolean>;

/** The fields that every state may have. */
export const ANY_STATE: Record<string, FieldCheck> = {
  Type: 'text',
  Comment: 'text',
  QueryLanguage: 'language',
};
const GOES_ON: Record<string, FieldCheck> = { Next: 'text', End: 'true', Output: 'value', Assign: 'object' };
const CAN_FAIL: Record<string, FieldCheck> = { Retry: 'list', Catch: 'list' };

/** The objects in lists of a state: their fields, which they must have, and what of `$states` their ends may see. */
export const ITEMS: Record<string, ItemShape> = {
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

/** The states: their fields beside those of any state, which they must have, and what of `$states` their ends may see. */
export const STATES: Record<string, ItemShape> = {
  Pass: { fields: GOES_ON, required: [], sees: [] },
  Succeed: { fields: { Output: 'value' }, required: [], sees: [] },
  Fail: { fields: { Error: 'text or expression', Cause: 'text or expression' }, required: [], sees: [] },
  Choice: {
    fields: { Choices: 'list with something in it', Default: 'text', Output: 'value', Assign: 'object' },
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
    fields: { ...GOES_ON, ...CAN_FAIL, Arguments: 'value', Branches: 'list with something in it' },
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
