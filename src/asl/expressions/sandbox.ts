import { setImmediate } from 'node:timers/promises';
import type { Environment, ExprNode, Expression } from 'jsonata';
import { asksForTime, setTime } from './evaluation-time.ts';
import { FUNCTIONS } from './functions.ts';
import { isFunction } from './json-value.ts';
import { depthOf, descendants, isType, keysOf, stepBindings } from './syntax-tree.ts';

/** How deep evaluation may nest: the service was seen to stop between 95 and 125. */
const MAX_DEPTH = 100;
/** How many nodes one evaluation may visit, about a second's worth; an item of a range counts as one. */
const MAX_STEPS = 250_000;
/** After so many steps other work gets its turn: an evaluation never leaves the microtask queue by itself. */
const STEPS_PER_TURN = 5_000;

/** Names of members that every object inherits, and the marks by which JSONata knows its functions. */
const RESERVED: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
  '_jsonata_lambda',
  '_jsonata_function',
]);

/** Whether a name leads out of the data. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

/** The resources that one evaluation may still use. */
export class EvaluationBudget {
  /** Under which it is bound; no expression can name this variable. */
  static readonly variable = ' budget';
  #depth = 0;
  #steps = 0;

  enter(): Promise<void> | undefined {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) {
      throw new Error(
        'Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.',
      );
    }
    this.spend(1);
    return this.#steps % STEPS_PER_TURN === 0 ? setImmediate() : undefined;
  }

  leave(): void {
    this.#depth--;
  }

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) {
      throw new Error('Expression evaluation timeout: Check for infinite loop');
    }
  }
}

/**
 * Keeps expressions to JSON data. JSONata 2.0.6 reads inherited members, shows the source of its functions, and takes
 * any object with its marks for a function; each of these leads to the constructor of functions, which runs code.
 *
 * @throws for a name that leads out of the data
 */
export function checkNames(ast: ExprNode): void {
  for (const node of descendants(ast)) {
    const named = isType(node, 'name') || isType(node, 'variable') ? [node] : [];
    const names = [
      ...[...named, ...keysOf(node).filter((key) => isType(key, 'string'))].map(({ value }) => String(value)),
      ...stepBindings(node),
    ];
    const reserved = names.find(isReserved);
    if (reserved !== undefined) throw outOfBounds(reserved);
  }
}

/**
 * Whether an expression can loop or recurse (it defines a function, spans a range, or is nested too deep as it stands),
 * could lead out of the data, or asks what time it is.
 */
export function needsGuard(ast: ExprNode): boolean {
  return needsWatch(ast) || descendants(ast).some(isRange) || depthOf(ast) >= MAX_DEPTH || asksForTime(ast);
}

/**
 * Makes every evaluation of the expression count against the budget that is bound for it, and keeps it to its data and
 * to its time.
 */
export function guard(expression: Expression): void {
  if (!takesHooks(expression)) throw new TypeError('jsonata no longer supports evaluation hooks');
  const updates = updatesOf(expression.ast());
  expression.assign(Symbol.for('jsonata.__evaluate_entry'), (node, input, environment) => {
    if (updates.has(node)) checkTarget(input);
    setTime(environment);
    return budgetOf(environment).enter();
  });
  expression.assign(Symbol.for('jsonata.__evaluate_exit'), (node, _input, environment, result) => {
    const budget = budgetOf(environment);
    budget.leave();
    if (isRange(node) && Array.isArray(result)) budget.spend(result.length);
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

function budgetOf(environment: Environment): EvaluationBudget {
  const budget: unknown = environment.lookup(EvaluationBudget.variable);
  if (budget instanceof EvaluationBudget) return budget;
  throw new TypeError('an evaluation without a budget');
}

/**
 * Whether an expression has functions as values or makes objects whose keys are not known before, so that
 * {@link checkResult} must see what it computes. A function that is only called by its name is no value.
 */
function needsWatch(ast: ExprNode): boolean {
  const nodes = descendants(ast);
  const called = new Set(nodes.filter((node) => isType(node, 'function')).map(({ procedure }) => procedure));
  return nodes.some(
    (node) =>
      ['lambda', 'partial', 'transform'].some((type) => isType(node, type)) ||
      (isType(node, 'apply') && !isCall(node)) ||
      (isType(node, 'variable') && FUNCTIONS.has(String(node.value)) && !called.has(node)) ||
      keysOf(node).some((key) => !isType(key, 'string')),
  );
}

/** The nodes that say what a transform changes; they are evaluated on each object that it changes. */
function updatesOf(ast: ExprNode): ReadonlySet<unknown> {
  const transforms = descendants(ast).filter((node) => isType(node, 'transform'));
  return new Set(transforms.map((node) => ('update' in node ? node.update : undefined)));
}

/** @throws if a transform is about to change something other than an object, such as JSONata's marks on an array */
function checkTarget(target: unknown): void {
  if (Array.isArray(target) || isFunction(target)) {
    throw new Error('a transform changes objects only, no arrays and no functions');
  }
}

/** Closes a function that an evaluation returned, and refuses an object that would pass for one. */
function checkResult(node: ExprNode, result: unknown): void {
  if (typeof result !== 'object' || result === null) return;
  if (Array.isArray(node.lhs) || 'group' in node) {
    const reserved = Object.keys(result).find((key) => RESERVED.has(key));
    if (reserved !== undefined) throw outOfBounds(reserved);
  }
  if (isFunction(result) && Object.isExtensible(result)) close(result);
}

/** Its members can no longer be listed or changed, but for the two in which JSONata notes the place of a call. */
function close(result: object): void {
  for (const key of new Set([...Object.keys(result), 'token', 'position'])) {
    const writable = key === 'token' || key === 'position';
    Object.defineProperty(result, key, { enumerable: false, writable, configurable: false });
  }
  Object.preventExtensions(result);
}

function isRange(node: ExprNode): boolean {
  return node.value === '..';
}

function isCall(node: ExprNode): boolean {
  return node.rhs !== undefined && isType(node.rhs, 'function');
}

function outOfBounds(name: string): Error {
  return new Error(`"${name}" is a name of JavaScript, which expressions cannot use`);
}
