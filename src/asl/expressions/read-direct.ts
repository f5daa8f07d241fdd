import {
  callFunction,
  choose,
  followPath,
  OF_ARRAYS,
  OPERATORS,
  takeSlice,
  type DirectExpression,
  type Path,
} from './direct-expression.ts';
import { isReserved } from './sandbox.ts';

/**
 * Reads an expression that needs no evaluator. JSONata itself is loaded only for the others, of which most machines
 * have none.
 *
 * @returns undefined for anything but the plainest of JSONata, mistakes among it
 */
export function readDirect(source: string): DirectExpression | undefined {
  const reader = new Reader(source.match(TOKENS) ?? []);
  const expression = reader.readExpression(0);
  return reader.isAtEnd ? expression : undefined;
}

/** Numbers, texts, names and operators; anything else comes as single characters, with which nothing can be done. */
const TOKENS = /(?:0|[1-9]\d*)(?:\.\d+)?(?!\w)|"[^"\\]*"|'[^'\\]*'|\$?[A-Za-z_]\w*|\.\.|!=|[^ \t\n\r\v]/g;

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
/** They mean something else in some places. */
const WORDS: ReadonlySet<string> = new Set(['and', 'or', 'in', 'function', ...CONSTANTS.keys()]);
const isName = (token: string) => /^[A-Za-z_]/.test(token) && !WORDS.has(token) && !isReserved(token);
const isVariable = (token: string) => /^\$./.test(token) && !isReserved(token.slice(1));
const isNumber = (token: string) => /^\d/.test(token);
const isPlace = (token: string) => /^\d+$/.test(token);
const isText = (token: string) => /^["']./.test(token);

/** How strongly `?` binds. */
const CHOICE = 20;

/** Reads tokens as JSONata does, by how strongly operators bind; gives up, with undefined, on all it does not know. */
class Reader {
  #at = 0;

  constructor(readonly tokens: readonly string[]) {}

  get isAtEnd(): boolean {
    return this.#at === this.tokens.length;
  }

  /** @param binding of the operator before: stronger operators belong to the expression */
  readExpression(binding: number): DirectExpression | undefined {
    let left = this.#readOperand();
    while (left !== undefined) {
      const token = this.tokens[this.#at] ?? '';
      const operator = Object.hasOwn(OPERATORS, token) ? OPERATORS[token] : undefined;
      if ((operator?.binding ?? (token === '?' ? CHOICE : 0)) <= binding) return left;
      this.#at++;
      if (operator === undefined) left = this.#readChoice(left);
      else {
        const right = this.readExpression(operator.binding);
        left = right && operator.combine(left, right);
      }
    }
    return undefined;
  }

  #readChoice(condition: DirectExpression): DirectExpression | undefined {
    const whenTrue = this.readExpression(0);
    const whenFalse = this.#skip(':') ? this.readExpression(0) : undefined;
    return whenTrue && whenFalse && choose(condition, whenTrue, whenFalse);
  }

  #readOperand(): DirectExpression | undefined {
    const token = this.tokens[this.#at++] ?? '';
    const constant = CONSTANTS.get(token);
    if (constant !== undefined) return () => constant;
    if (isNumber(token)) return Number.isFinite(Number(token)) ? constantly(Number(token)) : undefined;
    if (isText(token)) return constantly(token.slice(1, -1));
    if (token === '(') return this.#readUntil(')');
    if (token === '[') return this.#readSlice();
    if (!isVariable(token)) return undefined;
    return this.#skip('(') ? this.#readCall(token.slice(1)) : this.#readPath(token.slice(1));
  }

  #readUntil(end: string): DirectExpression | undefined {
    const expression = this.readExpression(0);
    return this.#skip(end) ? expression : undefined;
  }

  #readPath(variable: string): DirectExpression | undefined {
    const path = this.#readSteps(variable);
    return path && followPath(path);
  }

  /** Names, each with the place of an item at most; stops before anything else in brackets. */
  #readSteps(variable: string): Path | undefined {
    const steps: Path['steps'] = [];
    while (this.#skip('.')) {
      const name = this.#take(isName);
      if (name === undefined) return undefined;
      const isIndexed = this.tokens[this.#at] === '[' && this.tokens[this.#at + 1] !== '[';
      const index = isIndexed ? this.#readIndex() : undefined;
      if (isIndexed && index === undefined) return undefined;
      steps.push({ name, index });
    }
    return { variable, steps };
  }

  #readIndex(): number | undefined {
    this.#skip('[');
    const index = this.#take(isPlace);
    return index !== undefined && this.#skip(']') ? Number(index) : undefined;
  }

  /** Reads on after the bracket of `[list[[1..9]]]`. */
  #readSlice(): DirectExpression | undefined {
    const variable = this.#take(isVariable);
    const path = variable === undefined ? undefined : this.#readSteps(variable.slice(1));
    if (path === undefined || path.steps.length === 0 || !this.#skip('[') || !this.#skip('['))
      return undefined;
    const first = this.#take(isPlace);
    const last = this.#skip('..') ? this.#take(isPlace) : undefined;
    if (first === undefined || last === undefined) return undefined;
    const isWhole = this.#skip(']') && this.#skip(']') && this.#skip(']');
    return isWhole ? takeSlice(path, Number(first), Number(last)) : undefined;
  }

  #readCall(name: string): DirectExpression | undefined {
    const isOfArray = OF_ARRAYS.has(name);
    if (isOfArray && !this.#skip('[')) return undefined;
    const given = this.#readList(isOfArray ? ']' : ')');
    if (given === undefined || (isOfArray && !this.#skip(')'))) return undefined;
    return callFunction(name, given);
  }

  #readList(end: string): DirectExpression[] | undefined {
    const items: DirectExpression[] = [];
    while (!this.#skip(end)) {
      if (items.length > 0 && !this.#skip(',')) return undefined;
      const item = this.readExpression(0);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  }

  #skip(token: string): boolean {
    return this.#take((next) => next === token) !== undefined;
  }

  #take(isWanted: (token: string) => boolean): string | undefined {
    const token = this.tokens[this.#at];
    if (token === undefined || !isWanted(token)) return undefined;
    this.#at++;
    return token;
  }
}

function constantly(value: number | string): DirectExpression {
  return () => value;
}
