import { isTable, type TomlPath, type TomlTable } from '../../parse-toml.ts';

/** A note for the user about a part that was, or was not, converted. */
export interface Note {
  /** From the root of the project. */
  file: string;
  line: number;
  text: string;
}

/** A file's keys and values, and where each is. */
export interface Written {
  file: string;
  values: TomlTable;
  /** The line of a key or an item, from 1; that of its table if it is missing. */
  lineOf(path: TomlPath): number;
}

/**
 * The keys of a table, to be taken one by one. A key that no reader takes, or whose value is of another kind than the
 * reader can use, is left over, and is reported as dropped.
 */
export class Keys {
  readonly #written: Written;
  readonly #path: TomlPath;
  readonly #taken = new Map<string, Keys | undefined>();
  readonly values: TomlTable;

  constructor(written: Written, values: TomlTable = written.values, path: TomlPath = []) {
    this.#written = written;
    this.values = values;
    this.#path = path;
  }

  get names(): string[] {
    return Object.keys(this.values);
  }

  /** The value of a key, of any kind. */
  take(key: string): unknown {
    if (!Object.hasOwn(this.values, key)) return undefined;
    this.#taken.set(key, undefined);
    return this.values[key];
  }

  /** Takes all remaining keys, for a table that is left out as a whole. */
  takeAll(): void {
    for (const key of this.names) this.take(key);
  }

  text(key: string): string | undefined {
    const value = this.values[key];
    return typeof value === 'string' ? (this.take(key), value) : undefined;
  }

  /** The first of several keys of which only one is there. */
  textOf(...keys: string[]): string | undefined {
    return keys.map((key) => this.text(key)).find((text) => text !== undefined);
  }

  number(key: string): number | undefined {
    const value = this.values[key];
    return typeof value === 'number' && Number.isFinite(value) && value >= 0
      ? (this.take(key), value)
      : undefined;
  }

  flag(key: string): boolean | undefined {
    const value = this.values[key];
    return typeof value === 'boolean' ? (this.take(key), value) : undefined;
  }

  /** Texts: an array, or one text with a comma between each. */
  list(key: string): string[] | undefined {
    const value = this.values[key];
    if (value === null && Object.hasOwn(this.values, key)) return (this.take(key), []);
    if (typeof value === 'string') return (this.take(key), splitOutsideBrackets(value, /,/));
    if (!Array.isArray(value)) return undefined;
    const items: unknown[] = value;
    return items.every((item) => typeof item === 'string') ? (this.take(key), items) : undefined;
  }

  /**
   * Names of tools: like a list, but items may be separated by spaces alone. An agent that limits its tools in an
   * unreadable way gets none: a missing list would mean all.
   */
  tools(key: string): string[] | undefined {
    const value = this.values[key];
    if (typeof value === 'string') return (this.take(key), splitOutsideBrackets(value, /[,\s]/));
    return this.list(key) ?? (Object.hasOwn(this.values, key) ? [] : undefined);
  }

  table(key: string): Keys | undefined {
    const value = this.values[key];
    if (!isTable(value)) return undefined;
    const inside = this.#taken.get(key) ?? new Keys(this.#written, value, [...this.#path, key]);
    this.#taken.set(key, inside);
    return inside;
  }

  /** A table that is an item of an array. */
  item(key: string, index: number): Keys | undefined {
    const values: unknown = this.values[key];
    const value: unknown = Array.isArray(values) ? values[index] : undefined;
    return isTable(value) ? new Keys(this.#written, value, [...this.#path, key, index]) : undefined;
  }

  /** A note that is about a key of this table, or about the table itself. */
  note(text: string, ...key: TomlPath): Note {
    return { file: this.#written.file, line: this.#written.lineOf([...this.#path, ...key]), text };
  }

  /** A note for every key that was not taken. */
  dropped(): Note[] {
    return this.names.flatMap((key) => {
      const inside = this.#taken.get(key);
      if (inside !== undefined) return inside.dropped();
      return this.#taken.has(key) ? [] : [this.note(`dropped: ${[...this.#path, key].join('.')}`, key)];
    });
  }
}

/** The parts of a text between separators that are in no round brackets. */
function splitOutsideBrackets(text: string, separator: RegExp): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && separator.test(character)) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim().replace(/^(["'])(.*)\1$/s, '$2')).filter((part) => part !== '');
}
