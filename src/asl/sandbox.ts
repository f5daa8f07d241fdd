import type { ExprNode } from 'jsonata';
import { FUNCTIONS } from './functions.ts';
import { isFunction } from './json-value.ts';
import { descendants, isType } from './syntax-tree.ts';

/**
 * Keeps expressions to JSON data. JSONata 2.0.6 reads inherited members, shows what its functions are made of, and
 * takes any object with its marks for a function; each of these leads to the constructor of functions, which runs code.
 *
 * @throws for a name that leads out of the data
 */
export function checkNames(ast: ExprNode): void {
  for (const node of descendants(ast)) {
    const bound = Object.entries(node).filter(([key]) => key === 'focus' || key === 'index');
    const names = [
      ...[node].filter((named) => isType(named, 'name') || isType(named, 'variable')).map(textOf),
      ...bound.map(([, name]) => String(name)),
      ...keysOf(node)
        .filter((key) => isType(key, 'string'))
        .map(textOf),
    ];
    const reserved = names.find((name) => RESERVED.has(name));
    if (reserved !== undefined) throw outOfBounds(reserved);
  }
}

function textOf(node: ExprNode): string {
  return String(node.value);
}

/** Names of members that every object inherits, and the marks by which JSONata knows its functions. */
const RESERVED: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
  '_jsonata_lambda',
  '_jsonata_function',
]);

/**
 * Whether an expression has functions as values or makes objects whose keys are not known before, so that
 * {@link checkResult} must see what it computes. A function that is only called by its name is no value.
 */
export function needsWatch(ast: ExprNode): boolean {
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
export function updatesOf(ast: ExprNode): ReadonlySet<unknown> {
  const transforms = descendants(ast).filter((node) => isType(node, 'transform'));
  return new Set(transforms.map((node) => ('update' in node ? node.update : undefined)));
}

/** @throws if a transform is about to change something other than an object, such as JSONata's marks on an array */
export function checkTarget(target: unknown): void {
  if (Array.isArray(target) || isFunction(target)) {
    throw new Error('a transform changes objects only, no arrays and no functions');
  }
}

/** Closes a function that an evaluation came to, and refuses an object that would pass for one. */
export function checkResult(node: ExprNode, result: unknown): void {
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

/** The keys of an object or a grouping, which hold pairs. */
function keysOf({ lhs }: { lhs?: unknown }): ExprNode[] {
  if (!Array.isArray(lhs)) return [];
  return lhs.flatMap((pair: ExprNode[]) => (Array.isArray(pair) ? pair.slice(0, 1) : []));
}

function isCall(node: ExprNode): boolean {
  return node.rhs !== undefined && isType(node.rhs, 'function');
}

function outOfBounds(name: string): Error {
  return new Error(`"${name}" is a name of JavaScript, which expressions cannot use`);
}
