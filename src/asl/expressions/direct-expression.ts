import type { ExprNode } from 'jsonata';
import type { Json } from '../../json.ts';
import { copyJson } from './json-value.ts';
import { variableOf, type Scope } from './scope.ts';
import { isReserved } from './sandbox.ts';
import { isType } from './syntax-tree.ts';

/** A direct evaluation that met a value for which only the evaluator knows the rules. */
export const ASK_EVALUATOR = Symbol('ask the evaluator');

/** Computes an expression without the evaluator; `undefined` where the expression gives nothing. */
export type DirectExpression = (scope: Scope) => Json | undefined | typeof ASK_EVALUATOR;

/**
 * Most expressions of a state machine are a plain path such as `$states.input.items`, a constant, or a comparison or a
 * sum of the two, and some choose between such or put them together. For these the evaluator's result is known by rule,
 * and finding it directly takes a hundredth of the time. Anything else, an array on the way of a path first of all, is
 * left to the evaluator.
 *
 * @returns undefined for an expression of another kind
 */
export function toDirectExpression(node: ExprNode): DirectExpression | undefined {
  switch (String(node.type)) {
    case 'path':
      return hasOnly(node, 'type', 'steps') ? toDirectPath(node.steps ?? []) : undefined;
    case 'variable':
      return toDirectPath([node]);
    case 'string':
    case 'number':
    case 'value':
      return hasOnly(node, 'type', 'value', 'position') ? () => copyJson(node.value) : undefined;
    case 'binary':
      return hasOnly(node, 'type', 'value', 'position', 'lhs', 'rhs') ? toDirectBinary(node) : undefined;
    case 'unary':
      return toDirectSlice(node);
    case 'condition':
      return hasOnly(node, 'type', 'position', 'condition', 'then', 'else')
        ? toDirectChoice(node)
        : undefined;
    case 'block':
      return hasOnly(node, 'type', 'position', 'expressions') ? toDirectBlock(node) : undefined;
    case 'function':
      return hasOnly(node, 'type', 'name', 'value', 'position', 'procedure', 'arguments')
        ? toDirectCall(node)
        : undefined;
    default:
      return undefined;
  }
}

function toDirectPath(steps: ExprNode[]): DirectExpression | undefined {
  if (!steps.every((step, index) => isType(step, index === 0 ? 'variable' : 'name'))) return undefined;
  if (!steps.every((step) => hasOnly(step, 'type', 'value', 'position', 'stages'))) return undefined;
  const [variable, ...names] = steps.map((step) => String(step.value));
  // `$` and `$$` are the evaluator's own.
  if (variable === undefined || variable === '' || variable === '$') return undefined;
  const [ofVariable, ...indexes] = steps.map(indexOf);
  if (ofVariable !== 'none' || indexes.includes(undefined)) return undefined;
  return followPath(variable, names, indexes);
}

/**
 * Computes a path of names alone, such as `$states.input.items`, without even parsing it, as every run does with the
 * most of its expressions.
 *
 * @returns undefined for any other text, and for names that mean something else to the parser or are refused
 */
export function readPlainPath(source: string): DirectExpression | undefined {
  if (!PLAIN_PATH.test(source)) return undefined;
  const [variable = '', ...names] = source.slice(1).split('.');
  const isPlain = (name: string) => !WORDS.has(name) && !isReserved(name);
  return isPlain(variable) && names.every(isPlain) ? followPath(variable, names, []) : undefined;
}

const PLAIN_PATH = /^\$[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
const WORDS = new Set(['and', 'or', 'in', 'true', 'false', 'null', 'function']);

/** @param indexes of the items that are selected in what is under each of the names, where one is */
function followPath(
  variable: string,
  names: readonly string[],
  indexes: readonly (number | 'none' | undefined)[],
): DirectExpression {
  return (scope) => {
    let value = variableOf(scope, variable);
    if (value === undefined) return ASK_EVALUATOR;
    for (const [at, name] of names.entries()) {
      if (typeof value !== 'object' || value === null) return undefined;
      // Within an array a path selects from each item and flattens.
      if (Array.isArray(value)) return ASK_EVALUATOR;
      if (!Object.hasOwn(value, name)) return undefined;
      value = value[name];
      const index = indexes[at];
      if (typeof index !== 'number') continue;
      if (!Array.isArray(value)) return ASK_EVALUATOR;
      value = value[index];
      if (Array.isArray(value)) return ASK_EVALUATOR;
      if (value === undefined) return undefined;
    }
    return value;
  };
}

/** The item that a step selects by its place, as in `list[0]`; undefined where it selects by anything else. */
function indexOf(step: Step): number | 'none' | undefined {
  const selector = selectorOf(step);
  return selector === undefined || selector === 'none' ? selector : placeOf(selector);
}

/** What a step has in brackets; undefined where that is more than one thing. */
function selectorOf({ stages }: Step): ExprNode | 'none' | undefined {
  if (stages === undefined) return 'none';
  const [only, ...others] = stages;
  if (only?.expr === undefined || others.length > 0) return undefined;
  return isType(only, 'filter') && hasOnly(only, 'type', 'expr', 'position') ? only.expr : undefined;
}

function placeOf(node: ExprNode | undefined): number | undefined {
  const place: unknown = node?.value;
  const isPlace = node !== undefined && isType(node, 'number') && hasOnly(node, 'type', 'value', 'position');
  return isPlace && typeof place === 'number' && Number.isInteger(place) && place >= 0 ? place : undefined;
}

/** A part of a list, as in `[list[[1..9]]]`. */
function toDirectSlice(node: ExprNode): DirectExpression | undefined {
  const [path, ...others] = listOf(node);
  const steps = path !== undefined && hasOnly(path, 'type', 'steps') ? path.steps : undefined;
  const last: Step | undefined = steps?.at(-1);
  if (steps === undefined || last === undefined || others.length > 0) return undefined;
  const selector = selectorOf(last);
  if (selector === undefined || selector === 'none') return undefined;
  const [range, ...more] = listOf(selector);
  if (range?.value !== '..' || Array.isArray(range.lhs) || more.length > 0) return undefined;
  const [first, end] = [placeOf(range.lhs), placeOf(range.rhs)];
  if (first === undefined || end === undefined) return undefined;
  const { stages: _, ...whole } = last;
  const list = toDirectPath([...steps.slice(0, -1), whole]);
  return (
    list &&
    ((scope) => {
      const value = list(scope);
      if (!Array.isArray(value)) return ASK_EVALUATOR;
      const part = value.slice(first, end + 1);
      return part.some((item) => Array.isArray(item)) ? ASK_EVALUATOR : part;
    })
  );
}

type Step = ExprNode & { stages?: (ExprNode & { expr?: ExprNode })[] };

function toDirectBinary(node: ExprNode): DirectExpression | undefined {
  if (node.lhs === undefined || Array.isArray(node.lhs) || node.rhs === undefined) return undefined;
  const left = toDirectExpression(node.lhs);
  const right = toDirectExpression(node.rhs);
  if (left === undefined || right === undefined) return undefined;
  switch (node.value) {
    case '=':
    case '!=': {
      const whenEqual = node.value === '=';
      return (scope) => compare(left(scope), right(scope), whenEqual);
    }
    case 'and':
    case 'or': {
      const decisive = node.value === 'or';
      return (scope) => {
        for (const side of [left, right]) {
          const value = side(scope);
          if (typeof value !== 'boolean') return ASK_EVALUATOR;
          if (value === decisive) return decisive;
        }
        return !decisive;
      };
    }
    case '+':
      return (scope) => calculate(left(scope), right(scope), (a, b) => a + b);
    case '-':
      return (scope) => calculate(left(scope), right(scope), (a, b) => a - b);
    case '*':
      return (scope) => calculate(left(scope), right(scope), (a, b) => a * b);
    case '/':
      return (scope) => calculate(left(scope), right(scope), (a, b) => a / b);
    case '>':
      return (scope) => calculate(left(scope), right(scope), (a, b) => a > b);
    case '&':
      return (scope) => join(left(scope), right(scope));
    default:
      return undefined;
  }
}

/** Either of two expressions, as a third one has it. */
function toDirectChoice(node: ExprNode & { condition?: ExprNode; then?: ExprNode; else?: ExprNode }) {
  const [condition, whenTrue, whenFalse] = [node.condition, node.then, node.else].map(
    (part) => part && toDirectExpression(part),
  );
  if (condition === undefined || whenTrue === undefined || whenFalse === undefined) return undefined;
  return (scope: Scope): Operand => {
    const value = condition(scope);
    if (typeof value !== 'boolean') return ASK_EVALUATOR;
    return value ? whenTrue(scope) : whenFalse(scope);
  };
}

/** An expression in brackets. */
function toDirectBlock({ expressions = [] }: ExprNode): DirectExpression | undefined {
  const [only, ...others] = expressions;
  return only === undefined || others.length > 0 ? undefined : toDirectExpression(only);
}

/** What functions give for arguments that they are made for; for others they are the evaluator's to call. */
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
const OF_ARRAYS = new Set(['max', 'min']);
/** As `toISOString` writes it. */
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isNumber = (value: Operand) => typeof value === 'number';

function toDirectCall(node: ExprNode & { procedure?: ExprNode }): DirectExpression | undefined {
  const { procedure, arguments: given = [] } = node;
  if (procedure === undefined || !isType(procedure, 'variable')) return undefined;
  const name = String(procedure.value);
  const call = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  const parts = (OF_ARRAYS.has(name) ? itemsOf(given) : given).map(toDirectExpression);
  if (call === undefined || !parts.every((part) => part !== undefined)) return undefined;
  // A variable of that name takes the function's place.
  return (scope) =>
    variableOf(scope, name) === undefined
      ? call(
          parts.map((part) => part(scope)),
          scope,
        )
      : ASK_EVALUATOR;
}

/** The items of an array that is written out as the only argument. */
function itemsOf([only, ...others]: ExprNode[]): ExprNode[] {
  return only !== undefined && others.length === 0 ? listOf(only) : [];
}

/** The items of an array that is written out. */
function listOf(node: ExprNode): ExprNode[] {
  const isArray = isType(node, 'unary') && node.value === '[';
  return isArray && hasOnly(node, 'type', 'value', 'position', 'expressions') ? (node.expressions ?? []) : [];
}

/** Anything but two numbers with a finite result is the evaluator's to judge. */
function calculate<Result extends number | boolean>(
  left: Operand,
  right: Operand,
  operate: (left: number, right: number) => Result,
): Result | typeof ASK_EVALUATOR {
  if (typeof left !== 'number' || typeof right !== 'number') return ASK_EVALUATOR;
  const result = operate(left, right);
  return result === true || result === false || Number.isFinite(result) ? result : ASK_EVALUATOR;
}

/** Texts and whole numbers put together; what others are as a text is the evaluator's to say. */
function join(left: Operand, right: Operand): string | typeof ASK_EVALUATOR {
  return isText(left) && isText(right) ? String(left) + String(right) : ASK_EVALUATOR;
}

function isText(value: Operand): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

type Operand = ReturnType<DirectExpression>;

function compare(left: Operand, right: Operand, whenEqual: boolean): boolean | typeof ASK_EVALUATOR {
  if (typeof left === 'symbol' || typeof right === 'symbol') return ASK_EVALUATOR;
  // Nothing is neither equal nor unequal to anything.
  if (left === undefined || right === undefined) return false;
  if (typeof left === 'object' && left !== null && typeof right === 'object' && right !== null) {
    return ASK_EVALUATOR;
  }
  return (left === right) === whenEqual;
}

/** Whether the node carries nothing (a predicate, a grouping, `[]`) beyond the given keys. */
function hasOnly(node: ExprNode, ...keys: string[]): boolean {
  return Object.keys(node).every((key) => keys.includes(key));
}
