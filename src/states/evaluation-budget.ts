import { setImmediate } from 'node:timers/promises';
import type { Environment, ExprNode, Expression } from 'jsonata';

/** How deep evaluation may nest: the service was seen to stop between 95 and 125. */
const MAX_DEPTH = 100;
/** How many nodes one evaluation may visit, a few seconds' worth. */
const MAX_STEPS = 1_000_000;
/** After so many steps other work gets its turn: an evaluation never leaves the microtask queue by itself. */
const STEPS_PER_TURN = 20_000;

interface Budget {
  depth: number;
  steps: number;
}

/** A fresh budget, to be bound under `newBudget.variable` for one evaluation. */
export function newBudget(): Budget {
  return { depth: 0, steps: 0 };
}
/** No expression can name this variable. */
newBudget.variable = ' budget';

/** Whether an expression can loop or recurse: it defines a function, or it is nested too deep as it stands. */
export function needsGuard(node: ExprNode): boolean {
  return definesFunction(node) || nesting(node) >= MAX_DEPTH;
}

/** Makes every evaluation of the expression count against the budget that is bound for it. */
export function guard(expression: Expression): void {
  const hooks: [symbol, (node: ExprNode, input: unknown, environment: Environment) => unknown][] = [
    [Symbol.for('jsonata.__evaluate_entry'), (_node, _input, environment) => enter(budgetOf(environment))],
    [
      Symbol.for('jsonata.__evaluate_exit'),
      (_node, _input, environment) => void budgetOf(environment).depth--,
    ],
  ];
  // The declared type leaves out symbols, by which alone the hooks are found.
  const assign: (name: never, value: unknown) => void = expression.assign;
  for (const [name, hook] of hooks) assign.call(expression, name as never, hook);
}

function budgetOf(environment: Environment): Budget {
  return environment.lookup(newBudget.variable);
}

function enter(budget: Budget): Promise<void> | undefined {
  budget.depth++;
  budget.steps++;
  if (budget.depth > MAX_DEPTH) {
    throw new Error(
      'Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.',
    );
  }
  if (budget.steps > MAX_STEPS) throw new Error('Expression evaluation timeout: Check for infinite loop');
  return budget.steps % STEPS_PER_TURN === 0 ? setImmediate() : undefined;
}

function definesFunction(node: ExprNode): boolean {
  return children(node).some(definesFunction) || (node.type as string) === 'lambda';
}

function nesting(node: ExprNode): number {
  return 1 + Math.max(0, ...children(node).map(nesting));
}

/** The nodes directly below one, under whatever key they stand. */
export function children(node: ExprNode): ExprNode[] {
  const found: ExprNode[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (isNode(value)) found.push(value);
  };
  Object.values(node).forEach(collect);
  return found;
}

function isNode(value: unknown): value is ExprNode {
  return typeof value === 'object' && value !== null;
}
