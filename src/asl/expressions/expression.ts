import type { Json, JsonObject } from '../../json.ts';
import { ASK_EVALUATOR, type DirectExpression } from './direct-expression.ts';
import type { Evaluator } from './evaluator.ts';
import type { Clock } from '../executions/ports.ts';
import { copyJson, NotJson } from './json-value.ts';
import { readDirect } from './read-direct.ts';
import type { Scope } from './scope.ts';
import type { Soon } from './soon.ts';

/** An expression that failed, or gave a value that its field cannot take: becomes States.QueryEvaluationError. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';

  constructor(
    message: string,
    /** The field that was being evaluated, such as `Output/items[0]`. */
    readonly location: string | undefined,
  ) {
    super(message);
  }
}

/** A JSONata expression of a definition: read once, when it is needed, which for most of a definition is never. */
export class Expression {
  #direct: Direct | undefined;
  /** Made for those that are not evaluated directly, which few are. */
  #evaluator: Promise<Evaluator> | undefined;

  /**
   * @param source the text between `{%` and `%}`, trimmed
   * @param location the field that holds it, such as `Arguments/Payload/items[0]`
   */
  constructor(
    readonly source: string,
    readonly location: string,
  ) {}

  /**
   * The value of the expression. It may share parts with the scope, which is never modified.
   * @throws EvaluationError in the service's words if it fails or gives nothing
   * @throws as `parseJsonata`, in a definition that was not checked
   */
  evaluate(scope: Scope, clock: Clock): Soon<Json> {
    const { evaluate, isTimed } = (this.#direct ??= toDirect(this.source));
    const timed = isTimed ? { ...scope, time: clock.now() } : scope;
    const value = evaluate === undefined ? ASK_EVALUATOR : evaluate(timed);
    if (value === ASK_EVALUATOR) return clock.during(this.#evaluate(timed, () => clock.now()));
    if (value === undefined) throw this.#error('returned nothing (undefined).');
    return value;
  }

  async #evaluate(scope: Scope, now: () => number): Promise<Json> {
    const evaluator = await (this.#evaluator ??= openEvaluator(this.source));
    let result: unknown;
    try {
      result = await evaluator.evaluate(scope, now);
    } catch (thrown) {
      throw this.#error(`threw an error during evaluation${describe(thrown)}`);
    }
    if (result === undefined) throw this.#error('returned nothing (undefined).');
    try {
      return copyJson(result);
    } catch (thrown) {
      if (thrown instanceof NotJson) throw this.#error('returned an unsupported result type.');
      throw thrown;
    }
  }

  /** The error for a value of which the field can make no use. */
  unexpectedType(expected: string, value: Json): EvaluationError {
    return this.#error(
      `returned an unexpected result type. Expected '${expected}', but was '${jsonTypeOf(value)}' for value: ${JSON.stringify(value)}`,
    );
  }

  #error(what: string): EvaluationError {
    return new EvaluationError(
      `The JSONata expression '${this.source}' specified for the field '${this.location}' ${what}`,
      this.location,
    );
  }
}

/** How to evaluate an expression without the evaluator, where that is possible. */
interface Direct {
  evaluate: DirectExpression | undefined;
  isTimed: boolean;
}

/** Of the functions that are computed directly, one asks for the time. */
function toDirect(source: string): Direct {
  return { evaluate: readDirect(source), isTimed: source.includes('$millis') };
}

async function openEvaluator(source: string): Promise<Evaluator> {
  const { Evaluator: Opened } = await import('./evaluator.ts');
  return new Opened(source);
}

/** A JSON value of a definition in which texts of the form `{% … %}` are expressions. */
export type Template =
  | { kind: 'constant'; value: Json }
  | { kind: 'expression'; expression: Expression }
  | { kind: 'array'; items: Template[] }
  | { kind: 'object'; members: Member[] };

/** A member of an object. */
export interface Member {
  key: string;
  template: Template;
}

/** The text between `{%` and `%}`; undefined for a plain text, including one with blanks around these marks. */
export function expressionSource(text: string): string | undefined {
  return /^\{%([\s\S]*)%\}$/.exec(text)?.[1]?.trim();
}

/** The expression in `{% … %}`, or undefined for a plain text. */
export function parseExpression(text: string, location: string): Expression | undefined {
  const source = expressionSource(text);
  return source === undefined ? undefined : new Expression(source, location);
}

/** @param location where the value is in its state, such as `Output` */
export function parseTemplate(value: Json, location: string): Template {
  if (typeof value === 'string') {
    const expression = parseExpression(value, location);
    return expression === undefined ? { kind: 'constant', value } : { kind: 'expression', expression };
  }
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  if (Array.isArray(value)) {
    const items = value.map((item, index) => parseTemplate(item, `${location}[${index}]`));
    return items.every(isConstant) ? { kind: 'constant', value } : { kind: 'array', items };
  }
  const members = parseMembers(value, location);
  return members.every(({ template }) => isConstant(template))
    ? { kind: 'constant', value }
    : { kind: 'object', members };
}

/** @param location where the object is in its state, such as `Assign` */
export function parseMembers(object: JsonObject, location: string): Member[] {
  return Object.entries(object).map(([key, member]) => ({
    key,
    template: parseTemplate(member, `${location}/${key}`),
  }));
}

/** @throws EvaluationError from the first expression that fails */
export function evaluateTemplate(template: Template, scope: Scope, clock: Clock): Soon<Json> {
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'expression':
      return template.expression.evaluate(scope, clock);
    case 'array':
      return evaluateItems(template.items, (item) => evaluateTemplate(item, scope, clock));
    case 'object':
      return evaluateMembers(template.members, (member) => evaluateTemplate(member, scope, clock));
  }
}

/** Evaluates the members of an object one after another. */
export function evaluateMembers(
  members: readonly Member[],
  evaluate: (template: Template) => Soon<Json>,
  object: JsonObject = {},
): Soon<JsonObject> {
  for (const member of members) {
    const value = evaluate(member.template);
    if (value instanceof Promise) {
      return value.then((late) => {
        object[member.key] = late;
        return evaluateMembers(members.slice(members.indexOf(member) + 1), evaluate, object);
      });
    }
    object[member.key] = value;
  }
  return object;
}

export async function evaluateItems(
  items: readonly Template[],
  evaluate: (template: Template) => Soon<Json>,
): Promise<Json[]> {
  const array: Json[] = [];
  for (const item of items) array.push(await evaluate(item));
  return array;
}

function isConstant({ kind }: Template): boolean {
  return kind === 'constant';
}

/** An error with a code is a sentence of its own for the service, one without follows a colon. */
function describe(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return `: ${String(thrown)}`;
  const message = 'message' in thrown ? String(thrown.message) : JSON.stringify(thrown);
  return 'code' in thrown && typeof thrown.code === 'string'
    ? `. ${thrown.code}: ${message}`
    : `: ${message}`;
}

function jsonTypeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
