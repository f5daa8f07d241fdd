import { isTable, type TomlTable } from '../../parse-toml.ts';

/** Wider arrays get a line for each item. */
const WIDTH = 100;

/**
 * A table as a TOML document. Texts come back byte for byte: those with line breaks are written as they are wherever
 * TOML permits it, so that a prompt stays readable.
 * @param table strings, finite numbers, booleans, tables and arrays of these; absent values are left out
 */
export function writeToml(table: TomlTable): string {
  return tableLines(table, []).join('\n') + '\n';
}

function tableLines(table: TomlTable, path: readonly string[]): string[] {
  const entries = Object.entries(table).filter(([, value]) => value !== undefined);
  const isNested = (value: unknown) => isTable(value) || isTableArray(value);
  const pairs = entries.filter(([, value]) => !isNested(value));
  const lines = pairs.map(([key, value]) => `${toKey(key)} = ${toValue(value, toKey(key).length + 3)}`);
  for (const [key, value] of entries.filter(([, each]) => isNested(each))) {
    const inside = [...path, key];
    const name = inside.map(toKey).join('.');
    if (isTable(value)) lines.push('', `[${name}]`, ...tableLines(value, inside));
    else if (isTableArray(value)) {
      for (const item of value) {
        const all = Object.entries(item).filter(([, each]) => each !== undefined);
        lines.push('', `[[${name}]]`, ...all.map(([own, each]) => `${toKey(own)} = ${toValue(each)}`));
      }
    }
  }
  return lines;
}

function isTableArray(value: unknown): value is TomlTable[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}

function toKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : toLine(key);
}

function toValue(value: unknown, column = 0): string {
  if (typeof value === 'string') return value.includes('\n') ? toLines(value) : toLine(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => (typeof item === 'string' ? toLine(item) : toValue(item)));
    const line = `[${items.join(', ')}]`;
    return column === 0 || column + line.length <= WIDTH
      ? line
      : `[\n${items.map((item) => `  ${item},\n`).join('')}]`;
  }
  if (isTable(value)) {
    const pairs = Object.entries(value).map(([key, each]) => {
      return `${toKey(key)} = ${typeof each === 'string' ? toLine(each) : toValue(each)}`;
    });
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
  }
  return String(value);
}

/** TOML's strings on one line are those of JSON, but for U+007F, which has to be escaped as well. */
function toLine(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(NOT_AS_IT_IS, toEscape);
}

/**
 * Control characters, of which TOML takes no more than a few. A parser may take line breaks of either kind for its own,
 * so a carriage return is one of them; those from U+0080 on could steer a terminal.
 */
const NOT_AS_IT_IS = /[\0-\x08\x0B-\x1F\x7F-\x9F]/g;

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function toLines(text: string): string {
  const written = text.toWellFormed();
  if (written.search(NOT_AS_IT_IS) < 0 && !written.includes("'''") && !written.endsWith("'")) {
    return `'''\n${written}'''`;
  }
  const escaped = written
    .replaceAll('\\', '\\\\')
    // Neither three quotes in a row nor one before the closing three.
    .replace(/"""|"$/g, (quotes) => `${quotes.slice(1)}\\"`)
    .replace(NOT_AS_IT_IS, toEscape);
  return `"""\n${escaped}"""`;
}
