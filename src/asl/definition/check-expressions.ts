import type { ExprNode } from 'jsonata';
import type { Json } from '../../json.ts';
import { parseJsonata } from '../expressions/evaluator.ts';
import { expressionSource } from '../expressions/expression.ts';
import { FUNCTIONS } from '../expressions/functions.ts';
import { children, descendants, isType, stepBindings } from '../expressions/syntax-tree.ts';
import type { Problems } from './field-checks.ts';

/** The values that expressions may refer to at the place where they stand. */
export interface Sight {
  /** Variables that some state assigns. */
  variables: ReadonlySet<string>;
  /** Members of `$states`. */
  states: string[];
}

/** Checks the expressions in a value, wherever in it they stand. */
export function checkExpressions(problems: Problems, value: Json, location: string, sight: Sight): void {
  if (typeof value === 'string') {
    const ast = parse(problems, value, location);
    if (ast !== undefined) checkExpression(problems, ast, location, sight);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value))
      checkExpressions(problems, member, `${location}/${key}`, sight);
  }
}

function parse(problems: Problems, text: string, location: string): ExprNode | undefined {
  try {
    const source = expressionSource(text);
    if (source === undefined && /^\{%|%\}$/.test(text)) {
      problems.error(
        location,
        `an expression must begin with {% and end with %}; this one does not: ${text}`,
      );
    }
    return source === undefined ? undefined : parseJsonata(source).ast;
  } catch (thrown) {
    const reason =
      typeof thrown === 'object' && thrown !== null && 'message' in thrown
        ? String(thrown.message)
        : String(thrown);
    problems.error(location, `the expression cannot be read: ${reason}: ${text}`);
    return undefined;
  }
}

function checkExpression(problems: Problems, ast: ExprNode, location: string, sight: Sight): void {
  checkContext(problems, ast, location);
  const local = new Set(boundNames(ast));
  for (const node of descendants(ast)) {
    const [first, second] = node.steps ?? [];
    if (
      isType(node, 'path') &&
      first !== undefined &&
      isType(first, 'variable') &&
      first.value === 'states' &&
      second !== undefined
    ) {
      checkMember(problems, second, location, sight);
    }
    if (isType(node, 'variable')) checkVariable(problems, String(node.value), location, local, sight);
  }
}

function checkMember(problems: Problems, member: ExprNode, location: string, { states }: Sight): void {
  const name = String(member.value);
  if (!isType(member, 'name') || states.includes(name)) return;
  problems.error(
    location,
    `$states.${name} cannot be used here, only ${states.map((known) => `$states.${known}`).join(', ')}`,
  );
}

function checkVariable(
  problems: Problems,
  name: string,
  location: string,
  local: Set<string>,
  { variables }: Sight,
): void {
  if (
    name === '' ||
    name === '$' ||
    name === 'states' ||
    local.has(name) ||
    variables.has(name) ||
    FUNCTIONS.has(name)
  ) {
    return;
  }
  const what =
    name === 'eval' ? 'the service has no function $eval' : `no state assigns the variable $${name}`;
  problems.warn(location, what, 'UNDEFINED_VARIABLE');
}

/**
 * An expression of a state has no input of its own, so that a path must start from a variable. Within a predicate,
 * a later step of a path or the like there is an item to look at.
 */
function checkContext(problems: Problems, node: ExprNode, location: string): void {
  const first = isType(node, 'path') ? node.steps?.[0] : node;
  if (first !== undefined && LOOKS_AT_INPUT.has(String(first.type))) {
    problems.error(
      location,
      `the path "${String(first.value)}" has nothing to start from: begin it with a variable, such as $states.input`,
    );
  }
  if (first !== undefined && isType(first, 'variable') && (first.value === '' || first.value === '$')) {
    problems.error(location, `$${first.value} stands for nothing here: use $states.input`);
  }
  // The later steps of a path look at items.
  if (first !== undefined) checkInner(problems, first, location);
}

/** Goes on with the parts of a node that are evaluated where the node is, which those in ITEM_PARTS are not. */
function checkInner(problems: Problems, node: ExprNode, location: string): void {
  if (isType(node, 'transform') || isType(node, 'sort')) return;
  const parts = Object.entries(node).filter(([key]) => !ITEM_PARTS.has(key));
  for (const child of children(Object.fromEntries(parts))) checkContext(problems, child, location);
}

const ITEM_PARTS = new Set(['predicate', 'stages', 'group']);

const LOOKS_AT_INPUT = new Set(['name', 'wildcard', 'descendant', 'parent']);

/** Variables that the expression itself binds: by `:=`, as parameters, or by `@` and `#`. */
function boundNames(ast: ExprNode): string[] {
  return descendants(ast).flatMap((node) => {
    const bound = isType(node, 'bind') && !Array.isArray(node.lhs) ? [String(node.lhs?.value)] : [];
    const parameters = isType(node, 'lambda') ? (node.arguments ?? []).map(({ value }) => String(value)) : [];
    return [...bound, ...parameters, ...stepBindings(node)];
  });
}
