import type { ExprNode } from 'jsonata';

/** The nodes directly below one, under any key. */
export function children(node: object): ExprNode[] {
  const found: ExprNode[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (isNode(value)) found.push(value);
  };
  Object.values(node).forEach(collect);
  return found;
}

/** A node and all below it. */
export function descendants(node: ExprNode): ExprNode[] {
  return [node, ...children(node).flatMap(descendants)];
}

/** How many levels of nodes there are from this one down. */
export function depthOf(node: ExprNode): number {
  return 1 + Math.max(0, ...children(node).map(depthOf));
}

/** Whether a node is of the type; the declared types are those of an older version and lack some. */
export function isType(node: ExprNode, type: string): boolean {
  return String(node.type) === type;
}

/** The keys of an object constructor or a grouping, whose left side is a list of pairs. */
export function keysOf({ lhs }: { lhs?: unknown }): ExprNode[] {
  if (!Array.isArray(lhs)) return [];
  return lhs.flatMap((pair: ExprNode[]) => (Array.isArray(pair) ? pair.slice(0, 1) : []));
}

/** Variables that a step of a path binds to its item (`@`) and to the position of that (`#`). */
export function stepBindings(node: ExprNode): string[] {
  return Object.entries(node).flatMap(([key, name]) =>
    key === 'focus' || key === 'index' ? [String(name)] : [],
  );
}

function isNode(value: unknown): value is ExprNode {
  return typeof value === 'object' && value !== null;
}
