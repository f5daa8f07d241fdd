import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';

/** A place in a file, both numbers from 1, as editors count. */
export interface Position {
  line: number;
  column: number;
}

/** The steps from the top of the document to a value: keys of tables, indexes of arrays. */
export type TomlPath = readonly (string | number)[];

/** Where a key and its value stand, and how the value is written there. */
export interface TomlPlace {
  key: Position;
  value: Position;
  /** The value as written, cut to one short line; "a table" for tables with a header of their own. */
  source: string;
}

export interface TomlDocument {
  /** Tables have no prototype, so no key of a file can reach one. */
  value: Record<string, unknown>;
  /** The place of whatever the path leads to; the first line for what is not in the file. */
  placeOf(path: TomlPath): TomlPlace;
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The text is not TOML. `message` is the reason alone; `near` is what stands there, which may be a secret. */
export class TomlSyntaxError extends Error {
  override readonly name = 'TomlSyntaxError';

  constructor(
    reason: string,
    readonly position: Position,
    readonly near: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/**
 * Parses TOML 1.0, which is what editors' TOML plugins check. Values are built here and not by the parser's own
 * `getStaticTOMLValue`: a table named `__proto__` makes that one write to Object.prototype.
 * @throws {TomlSyntaxError}
 */
export function parseToml(source: string): TomlDocument {
  try {
    return new Builder(source).build(parseTOML(source, { tomlVersion: '1.0' }));
  } catch (error) {
    if (error instanceof TomlSyntaxError) throw error;
    if (error instanceof ParseError) {
      const missing = missingValue(source, error.index);
      if (missing !== undefined) {
        throw new TomlSyntaxError('expected a value after "="', missing, '', { cause: error });
      }
      const position = { line: error.lineNumber, column: error.column + 1 };
      throw new TomlSyntaxError(lowerFirst(error.message), position, shorten(source.slice(error.index)), {
        cause: error,
      });
    }
    // The parser recurses, so brackets nested by the thousand exhaust its stack.
    const reason =
      error instanceof RangeError ? 'values are nested too deeply' : `cannot be parsed: ${String(error)}`;
    throw new TomlSyntaxError(reason, { line: 1, column: 1 }, shorten(source), { cause: error });
  }
}

/** The end of the line with a key and no value, if that is why the parser stumbled: it reads on to the next line. */
function missingValue(source: string, index: number): Position | undefined {
  const read = source.slice(0, index).trimEnd();
  const [rest = ''] = source.slice(read.length).split(/\r?\n/, 1);
  if (!read.endsWith('=') || rest.trim() !== '') return undefined;
  const lines = `${read}${rest}`.split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

class Builder {
  readonly #source: string;
  readonly #root = emptyTable();
  readonly #places = new Map<string, TomlPlace>();

  constructor(source: string) {
    this.#source = source;
  }

  build(program: AST.TOMLProgram): TomlDocument {
    for (const item of program.body[0].body) {
      if (item.type === 'TOMLKeyValue') {
        this.#add(this.#root, [], item);
      } else {
        this.#markTables(item.resolvedKey, item.key);
        const table = openTable(this.#root, item.resolvedKey);
        for (const pair of item.body) this.#add(table, item.resolvedKey, pair);
      }
    }
    const start = { line: 1, column: 1 };
    const nowhere: TomlPlace = { key: start, value: start, source: 'nothing' };
    return { value: this.#root, placeOf: (path) => this.#places.get(JSON.stringify(path)) ?? nowhere };
  }

  #add(table: object, at: TomlPath, pair: AST.TOMLKeyValue): void {
    const names = pair.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
    const path = [...at, ...names];
    this.#markTables(path.slice(0, -1), pair.key);
    this.#mark(path, pair.key, pair.value);
    Reflect.set(
      openTable(table, names.slice(0, -1)),
      names[names.length - 1] ?? '',
      this.#valueOf(pair.value, path),
    );
  }

  #valueOf(node: AST.TOMLContentNode, path: TomlPath): unknown {
    switch (node.type) {
      case 'TOMLArray':
        return node.elements.map((element, index) => {
          const place = [...path, index];
          this.#mark(place, element, element);
          return this.#valueOf(element, place);
        });
      case 'TOMLInlineTable': {
        const table = emptyTable();
        for (const pair of node.body) this.#add(table, path, pair);
        return table;
      }
      case 'TOMLValue':
        if (node.kind === 'integer' && !Number.isSafeInteger(node.value)) {
          throw new TomlSyntaxError('integer is out of range', positionOf(node), node.number);
        }
        return node.value;
    }
  }

  #mark(path: TomlPath, key: AST.TOMLNode, value: AST.TOMLNode): void {
    this.#places.set(JSON.stringify(path), {
      key: positionOf(key),
      value: positionOf(value),
      source: shorten(this.#source.slice(...value.range)),
    });
  }

  /** Tables that a header or a dotted key opens, and those above them. */
  #markTables(path: TomlPath, key: AST.TOMLKey): void {
    const position = positionOf(key);
    for (let length = 1; length <= path.length; length += 1) {
      const id = JSON.stringify(path.slice(0, length));
      if (!this.#places.has(id)) this.#places.set(id, { key: position, value: position, source: 'a table' });
    }
  }
}

/** The table at the end of the path, made where it is missing; the parser has refused conflicting keys. */
function openTable(from: object, path: TomlPath): object {
  let here = from;
  path.forEach((step, index) => {
    let next: unknown = Reflect.get(here, step);
    if (typeof next !== 'object' || next === null) {
      next = typeof path[index + 1] === 'number' ? [] : emptyTable();
      Reflect.set(here, step, next);
    }
    if (typeof next === 'object' && next !== null) here = next;
  });
  return here;
}

function emptyTable(): Record<string, unknown> {
  const table: Record<string, unknown> = { __proto__: null };
  return table;
}

function positionOf(node: AST.TOMLNode): Position {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}

function shorten(source: string): string {
  const line = source.split(/[\r\n]/, 1)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
