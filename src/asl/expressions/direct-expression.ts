import type { ExprNode } from 'jsonata';
import type { Json } from '../../json.ts';
import { copyJson, type Variables } from './json-value.ts';
import { isType } from './syntax-tree.ts';

/** A direct evaluation that met a value for which only the evaluator knows the rules. */
export const ASK_EVALUATOR = Symbol('ask the evaluator');

/** Computes an expression without the evaluator; `undefined` where the expression gives nothing. */
export type DirectExpression = (variables: Variables) => Json | undefined | typeof ASK_EVALUATOR;

/**
 * Most expressions of a state machine are a plain path such as `$states.input.items`, a constant, or a comparison
 * of the two. For these the evaluator's result is known by rule, and finding it directly takes a hundredth of the
 * time. Anything else, an array on the way of a path first of all, is left to the evaluator.
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
    default:
      return undefined;
  }
}

function toDirectPath(steps: ExprNode[]): DirectExpression | undefined {
  if (!steps.every((step, index) => isType(step, index === 0 ? 'variable' : 'name'))) return undefined;
  if (!steps.every((step) => hasOnly(step, 'type', 'value', 'position'))) return undefined;
  const [variable, ...names] = steps.map((step) => String(step.value));
  // `$` and `$$` are the evaluator's own.
  if (variable === undefined || variable === '' || variable === '$') return undefined;

  return (variables) => {
    let value = variables[variable];
    // A builtin function may be meant.
    if (value === undefined) return ASK_EVALUATOR;
    for (const name of names) {
      if (typeof value !== 'object' || value === null) return undefined;
      // Within an array a path selects from each item and flattens.
      if (Array.isArray(value)) return ASK_EVALUATOR;
      if (!Object.hasOwn(value, name)) return undefined;
      value = value[name];
    }
    return value;
  };
}

function toDirectBinary(node: ExprNode): DirectExpression | undefined {
  if (node.lhs === undefined || Array.isArray(node.lhs) || node.rhs === undefined) return undefined;
  const left = toDirectExpression(node.lhs);
  const right = toDirectExpression(node.rhs);
  if (left === undefined || right === undefined) return undefined;
  switch (node.value) {
    case '=':
    case '!=': {
      const whenEqual = node.value === '=';
      return (variables) => compare(left(variables), right(variables), whenEqual);
    }
    case 'and':
    case 'or': {
      const decisive = node.value === 'or';
      return (variables) => {
        for (const side of [left, right]) {
          const value = side(variables);
          if (typeof value !== 'boolean') return ASK_EVALUATOR;
          if (value === decisive) return decisive;
        }
        return !decisive;
      };
    }
    case '+':
      return (variables) => calculate(left(variables), right(variables), (a, b) => a + b);
    case '-':
      return (variables) => calculate(left(variables), right(variables), (a, b) => a - b);
    case '*':
      return (variables) => calculate(left(variables), right(variables), (a, b) => a * b);
    default:
      return undefined;
  }
}

/** Anything but two numbers with a finite result is the evaluator's to judge. */
function calculate(
  left: Operand,
  right: Operand,
  operate: (left: number, right: number) => number,
): number | typeof ASK_EVALUATOR {
  if (typeof left !== 'number' || typeof right !== 'number') return ASK_EVALUATOR;
  const result = operate(left, right);
  return Number.isFinite(result) ? result : ASK_EVALUATOR;
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
