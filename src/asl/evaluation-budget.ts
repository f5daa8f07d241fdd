import { setImmediate } from 'node:timers/promises';
import type { Environment, ExprNode, Expression } from 'jsonata';
import { checkResult, checkTarget, needsWatch, updatesOf } from './sandbox.ts';
import { children, descendants } from './syntax-tree.ts';

/** How deep evaluation may nest: the service was seen to stop between 95 and 125. */
const MAX_DEPTH = 100;
/** How many nodes one evaluation may visit, about a second's worth; an item of a range counts as one. */
const MAX_STEPS = 250_000;
/** After so many steps other work gets its turn: an evaluation never leaves the microtask queue by itself. */
const STEPS_PER_TURN = 5_000;

/** What one evaluation may still spend. */
export class Budget {
  /** Under which it is bound; no expression can name this variable. */
  static readonly variable = ' budget';
  depth = 0;
  steps = 0;
}

/**
 * Whether an expression can loop or recurse (it defines a function, spans a range, or is nested too deep as it stands),
 * or could lead out of the data.
 */
export function needsGuard(node: ExprNode): boolean {
  return needsWatch(node) || descendants(node).some(isRange) || nesting(node) >= MAX_DEPTH;
}

/** Makes every evaluation of the expression count against the budget that is bound for it, and keeps it to its data. */
export function guard(expression: Expression): void {
  if (!takesHooks(expression)) throw new TypeError('jsonata lets itself no longer be watched');
  const updates = updatesOf(expression.ast());
  expression.assign(Symbol.for('jsonata.__evaluate_entry'), (node, input, environment) => {
    if (updates.has(node)) checkTarget(input);
    return enter(budgetOf(environment));
  });
  expression.assign(Symbol.for('jsonata.__evaluate_exit'), (node, _input, environment, result) => {
    const budget = budgetOf(environment);
    budget.depth--;
    if (isRange(node) && Array.isArray(result)) spend(budget, result.length);
    checkResult(node, result);
  });
}

type Hook = (
  node: ExprNode,
  input: unknown,
  environment: Environment,
  result?: unknown,
) => Promise<void> | undefined | void;

/** Hooks go by symbols, which the declared type of `assign` leaves out. */
function takesHooks(expression: object): expression is { assign(name: symbol, hook: Hook): void } {
  return 'assign' in expression;
}

function budgetOf(environment: Environment): Budget {
  const budget: unknown = environment.lookup(Budget.variable);
  if (budget instanceof Budget) return budget;
  throw new TypeError('an evaluation without a budget');
}

function enter(budget: Budget): Promise<void> | undefined {
  budget.depth++;
  if (budget.depth > MAX_DEPTH) {
    throw new Error(
      'Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.',
    );
  }
  spend(budget, 1);
  return budget.steps % STEPS_PER_TURN === 0 ? setImmediate() : undefined;
}

function spend(budget: Budget, steps: number): void {
  budget.steps += steps;
  if (budget.steps > MAX_STEPS) throw new Error('Expression evaluation timeout: Check for infinite loop');
}

function isRange(node: ExprNode): boolean {
  return node.value === '..';
}

function nesting(node: ExprNode): number {
  return 1 + Math.max(0, ...children(node).map(nesting));
}
