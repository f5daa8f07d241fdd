import type { Json } from '../json.ts';
import { Expression } from './expression.ts';
import type { JsonObject } from './json-value.ts';
import type { Variables } from './variables.ts';

/** A JSON value of a definition in which texts of the form `{% … %}` are expressions. */
export type Template =
  | { kind: 'constant'; value: Json }
  | { kind: 'expression'; expression: Expression }
  | { kind: 'array'; items: Template[] }
  | { kind: 'object'; members: [key: string, template: Template][] };

/** @param location where the value stands in its state, such as `Output` */
export function parseTemplate(value: Json, location: string): Template {
  if (typeof value === 'string') {
    const expression = parseExpression(value, location);
    return expression === undefined ? { kind: 'constant', value } : { kind: 'expression', expression };
  }
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  if (Array.isArray(value)) {
    const items = value.map((item, index) => parseTemplate(item, `${location}[${index}]`));
    return items.every((item) => item.kind === 'constant')
      ? { kind: 'constant', value }
      : { kind: 'array', items };
  }
  const members = Object.entries(value).map(([key, member]): [string, Template] => [
    key,
    parseTemplate(member, `${location}/${key}`),
  ]);
  return members.every(([, member]) => member.kind === 'constant')
    ? { kind: 'constant', value }
    : { kind: 'object', members };
}

/** The expression in `{% … %}`, or undefined for a plain text. */
export function parseExpression(text: string, location: string): Expression | undefined {
  const source = /^\s*\{%([\s\S]*)%\}\s*$/.exec(text)?.[1];
  return source === undefined ? undefined : new Expression(source.trim(), location);
}

/** @throws EvaluationError from the first expression that fails */
export function evaluateTemplate(template: Template, variables: Variables): Json | Promise<Json> {
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'expression':
      return template.expression.evaluate(variables);
    case 'array':
      return evaluateArray(template.items, variables);
    case 'object':
      return evaluateObject(template.members, variables);
  }
}

async function evaluateArray(items: Template[], variables: Variables): Promise<Json> {
  const array: Json[] = [];
  for (const item of items) array.push(await evaluateTemplate(item, variables));
  return array;
}

async function evaluateObject(members: [string, Template][], variables: Variables): Promise<Json> {
  const object: JsonObject = {};
  for (const [key, member] of members) object[key] = await evaluateTemplate(member, variables);
  return object;
}
