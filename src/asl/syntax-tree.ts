import type { ExprNode } from 'jsonata';

/** The nodes directly below one, under whatever key they stand. */
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

/** Whether a node is of the type; the declared types are those of an older version and lack some. */
export function isType(node: ExprNode, type: string): boolean {
  return String(node.type) === type;
}

function isNode(value: unknown): value is ExprNode {
  return typeof value === 'object' && value !== null;
}
