import type { Json } from '../../json.ts';
import { variableOf, type Scope } from './scope.ts';

/** A direct evaluation that met a value for which only the evaluator knows the rules. */
export const ASK_EVALUATOR = Symbol('ask the evaluator');

/**
 * Computes an expression without the evaluator; `undefined` where the expression gives nothing.
 *
 * Most expressions of a state machine are a plain path such as `$states.input.items`, a constant, or a comparison or a
 * sum of the two, and some choose between such or put them together. For these the evaluator's result is known by rule,
 * and finding it directly takes a hundredth of the time. Anything else, an array on the way of a path first of all, is
 * left to the evaluator.
 */
export type DirectExpression = (scope: Scope) => Operand;

type Operand = Json | undefined | typeof ASK_EVALUATOR;

/** A variable, or a value under names from there on. */
export interface Path {
  variable: string;
  /** Each with the place of the item that is selected in what it names, if one is. */
  steps: { name: string; index: number | undefined }[];
}

export function followPath({ variable, steps }: Path): DirectExpression {
  const start: DirectExpression = (scope) => {
    const value = variableOf(scope, variable);
    // A builtin function may be meant.
    return value === undefined ? ASK_EVALUATOR : value;
  };
  return steps.reduce((before, step) => (scope) => followStep(before(scope), step), start);
}

function followStep(from: Operand, { name, index }: Path['steps'][number]): Operand {
  if (from === ASK_EVALUATOR) return ASK_EVALUATOR;
  if (typeof from !== 'object' || from === null) return undefined;
  // Within an array a path selects from each item and flattens.
  if (Array.isArray(from)) return ASK_EVALUATOR;
  const value = Object.hasOwn(from, name) ? from[name] : undefined;
  if (index === undefined || value === undefined) return value;
  const item = Array.isArray(value) ? value[index] : ASK_EVALUATOR;
  return Array.isArray(item) ? ASK_EVALUATOR : item;
}

/** A part of a list, as in `[list[[1..9]]]`: its items from one place to another. */
export function takeSlice(path: Path, first: number, last: number): DirectExpression {
  const list = followPath(path);
  return (scope) => {
    const value = list(scope);
    if (!Array.isArray(value)) return ASK_EVALUATOR;
    const part = value.slice(first, last + 1);
    return part.some((item) => Array.isArray(item)) ? ASK_EVALUATOR : part;
  };
}

/** Either of two expressions, as a third one has it. */
export function choose(
  condition: DirectExpression,
  whenTrue: DirectExpression,
  whenFalse: DirectExpression,
): DirectExpression {
  return (scope) => {
    const value = condition(scope);
    if (typeof value !== 'boolean') return ASK_EVALUATOR;
    return value ? whenTrue(scope) : whenFalse(scope);
  };
}

/** The result of each operator for its two sides; precedence is JSONata's. */
export const OPERATORS: Record<
  string,
  { binding: number; combine(left: DirectExpression, right: DirectExpression): DirectExpression }
> = {
  or: { binding: 25, combine: (left, right) => decide(left, right, true) },
  and: { binding: 30, combine: (left, right) => decide(left, right, false) },
  '=': { binding: 40, combine: (left, right) => (scope) => compare(left(scope), right(scope), true) },
  '!=': { binding: 40, combine: (left, right) => (scope) => compare(left(scope), right(scope), false) },
  '>': ofNumbers(40, (a, b) => a > b),
  '+': ofNumbers(50, (a, b) => a + b),
  '-': ofNumbers(50, (a, b) => a - b),
  '&': { binding: 50, combine: (left, right) => (scope) => join(left(scope), right(scope)) },
  '*': ofNumbers(60, (a, b) => a * b),
  '/': ofNumbers(60, (a, b) => a / b),
};

function ofNumbers(binding: number, operate: (left: number, right: number) => number | boolean) {
  return {
    binding,
    combine(left: DirectExpression, right: DirectExpression): DirectExpression {
      return (scope) => calculate(left(scope), right(scope), operate);
    },
  };
}

/** @param decisive the value of either side that makes the other one irrelevant */
function decide(left: DirectExpression, right: DirectExpression, decisive: boolean): DirectExpression {
  return (scope) => {
    for (const side of [left, right]) {
      const value = side(scope);
      if (typeof value !== 'boolean') return ASK_EVALUATOR;
      if (value === decisive) return decisive;
    }
    return !decisive;
  };
}

/** The results of functions for the arguments that they expect; calls with other arguments go to the evaluator. */
const FUNCTIONS: Record<string, (given: Operand[], scope: Scope) => Operand> = {
  append: ([one, other, ...others]) =>
    Array.isArray(one) && Array.isArray(other) && others.length === 0 ? [...one, ...other] : ASK_EVALUATOR,
  ceil: ([number, ...others]) =>
    typeof number === 'number' && others.length === 0 ? Math.ceil(number) : ASK_EVALUATOR,
  count: ([list, ...others]) => (Array.isArray(list) && others.length === 0 ? list.length : ASK_EVALUATOR),
  exists: (given) =>
    given.length === 1 && given[0] !== ASK_EVALUATOR ? given[0] !== undefined : ASK_EVALUATOR,
  max: (given) => (given.every(isNumber) && given.length > 0 ? Math.max(...given) : ASK_EVALUATOR),
  min: (given) => (given.every(isNumber) && given.length > 0 ? Math.min(...given) : ASK_EVALUATOR),
  millis: (given, { time }) => (given.length === 0 ? time : ASK_EVALUATOR),
  toMillis([text, ...others]) {
    const isTime = typeof text === 'string' && others.length === 0 && UTC_TIME.test(text);
    const time = isTime ? Date.parse(text) : NaN;
    return Number.isNaN(time) ? ASK_EVALUATOR : time;
  },
};
/** They take their numbers as one array. */
export const OF_ARRAYS = new Set(['max', 'min']);
/** As `toISOString` writes it. */
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isNumber = (value: Operand) => typeof value === 'number';

/** @returns undefined for a function that is the evaluator's alone */
export function callFunction(name: string, given: readonly DirectExpression[]): DirectExpression | undefined {
  const call = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (call === undefined) return undefined;
  // A variable of that name takes the function's place.
  return (scope) =>
    variableOf(scope, name) === undefined
      ? call(
          given.map((one) => one(scope)),
          scope,
        )
      : ASK_EVALUATOR;
}

/** Anything but two numbers with a finite result is the evaluator's to judge. */
function calculate(
  left: Operand,
  right: Operand,
  operate: (left: number, right: number) => number | boolean,
): number | boolean | typeof ASK_EVALUATOR {
  if (typeof left !== 'number' || typeof right !== 'number') return ASK_EVALUATOR;
  const result = operate(left, right);
  return result === true || result === false || Number.isFinite(result) ? result : ASK_EVALUATOR;
}

/** Texts and whole numbers put together; the evaluator turns other values into texts. */
function join(left: Operand, right: Operand): string | typeof ASK_EVALUATOR {
  return isText(left) && isText(right) ? String(left) + String(right) : ASK_EVALUATOR;
}

function isText(value: Operand): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function compare(left: Operand, right: Operand, whenEqual: boolean): boolean | typeof ASK_EVALUATOR {
  if (typeof left === 'symbol' || typeof right === 'symbol') return ASK_EVALUATOR;
  // Nothing is neither equal nor unequal to anything.
  if (left === undefined || right === undefined) return false;
  if (typeof left === 'object' && left !== null && typeof right === 'object' && right !== null) {
    return ASK_EVALUATOR;
  }
  return (left === right) === whenEqual;
}
