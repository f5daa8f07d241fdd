import jsonata from 'jsonata';
import { asksForTime, TIME } from './evaluation-time.ts';
import { registerFunctions } from './functions.ts';
import type { Scope } from './scope.ts';
import { EvaluationBudget, checkNames, guard, needsGuard } from './sandbox.ts';

/**
 * JSONata itself, for what cannot be computed directly: loaded when that is met, since few definitions have any of it.
 */
export class Evaluator {
  readonly #expression: jsonata.Expression;
  readonly #isGuarded: boolean;
  readonly #isTimed: boolean;

  /** @throws as `parseJsonata` */
  constructor(source: string) {
    const { expression, ast } = parseJsonata(source);
    registerFunctions(expression);
    this.#isGuarded = needsGuard(ast);
    if (this.#isGuarded) guard(expression);
    this.#expression = expression;
    this.#isTimed = asksForTime(ast);
  }

  /**
   * @param now the current time in milliseconds since 1970, unless the scope has one
   * @returns undefined where the expression gives nothing
   * @throws everything that the evaluation throws
   */
  async evaluate({ variables, states, time }: Scope, now: () => number): Promise<unknown> {
    const result: unknown = await this.#expression.evaluate(undefined, {
      ...variables,
      states,
      ...(this.#isTimed && { [TIME]: time ?? now() }),
      ...(this.#isGuarded && { [EvaluationBudget.variable]: new EvaluationBudget() }),
    });
    return result;
  }
}

/**
 * @param source the text between `{%` and `%}`, trimmed
 * @throws the parser's plain object with `code` and `message` if the text is not JSONata
 * @throws Error if it uses a name of JavaScript
 */
export function parseJsonata(source: string): { expression: jsonata.Expression; ast: jsonata.ExprNode } {
  const expression = jsonata(source);
  const ast = expression.ast();
  checkNames(ast);
  return { expression, ast };
}
