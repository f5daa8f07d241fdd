import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import { expressionSource } from '../expressions/expression.ts';

/** Something in a definition that is wrong, or may be. */
export interface DefinitionProblem {
  severity: 'ERROR' | 'WARNING';
  /** As the service classifies it. */
  code: string;
  message: string;
  /** Where, such as `/States/Act/ItemProcessor/States/Run/Resource`. */
  location: string;
}

/** The problems found so far. */
export class Problems {
  readonly list: DefinitionProblem[] = [];

  error(location: string, message: string, code = 'SCHEMA_VALIDATION_FAILED'): void {
    this.list.push({ severity: 'ERROR', code, message, location: location === '' ? '/' : location });
  }

  warn(location: string, message: string, code: string): void {
    this.list.push({ severity: 'WARNING', code, message, location });
  }
}

/** The values that a field may hold. */
export type FieldCheck = keyof typeof CHECKS;

const isExpression = (value: Json) => typeof value === 'string' && expressionSource(value) !== undefined;
const isInteger = (value: Json, least: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= least;

/** The kinds of values, by the words that a refusal uses for them. */
const CHECKS = {
  text: (value: Json) => typeof value === 'string',
  true: (value: Json) => value === true,
  language: (value: Json) => value === 'JSONata' || value === 'JSONPath',
  object: isJsonObject,
  list: (value: Json) => Array.isArray(value),
  'non-empty list': (value: Json) => Array.isArray(value) && value.length > 0,
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

/** A value as a refusal shows it. */
export function shorten(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Date, `T`, time to the minute or finer, and an offset: `2026-03-14T01:59:26.535Z`. */
const PATTERN =
  /^([+-]?\d{4,9})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|([+-])(\d\d):(\d\d)(?::(\d\d))?)$/i;

/**
 * Reads a time in the ISO 8601 extended format with offset, which the service demands. It "considers the time value
 * up to seconds and truncates milliseconds" (Developer Guide, "Wait workflow state").
 * @returns milliseconds since the epoch, or undefined if the text is not in that format or names no time
 */
export function parseTimestamp(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second = 0, sign, hours = 0, minutes = 0, seconds = 0] = match;
  const local = new Date(0);
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  local.setUTCHours(Number(hour), Number(minute), Number(second));
  // JavaScript carries a 30 February over into March.
  const read = [
    local.getUTCFullYear(),
    local.getUTCMonth() + 1,
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
    local.getUTCSeconds(),
  ];
  const fields = [year, month, day, hour, minute, second].map(Number);
  if (read.some((value, index) => value !== fields[index])) return undefined;
  const offset = 1000 * (3600 * Number(hours) + 60 * Number(minutes) + Number(seconds));
  return local.getTime() - (sign === '-' ? -offset : offset);
}
