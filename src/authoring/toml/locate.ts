import type { AST } from 'toml-eslint-parser';
import { decodeToml, shorten, type TextPosition, type TomlPath } from '../../parse-toml.ts';

/** A file as it is written. */
export interface TomlFile {
  /** As messages show it. */
  path: string;
  bytes: Uint8Array;
}

/** Something to say about a key or value of a document. */
export interface Complaint {
  path: TomlPath;
  /** Whether it is about the key; else about its value. */
  isOfKey?: boolean;
  reason: string;
  /** Whether to add how the value is written, which must not be a secret. */
  quotes?: boolean;
}

/**
 * Complaints with their places, `file:line:column: reason`, in the order of the file. A missing key is placed where its
 * table begins.
 *
 * The parser that knows places is loaded only here: it is the slower one, and a file that is in order does without it.
 */
export async function locate(complaints: readonly Complaint[], file: TomlFile): Promise<string[]> {
  if (complaints.length === 0) return [];
  const locationOf = await findLocations(decodeToml(file.bytes));
  return complaints
    .map(({ path, isOfKey = false, reason, quotes = false }) => {
      const { key, value, source } = locationOf(path);
      return { position: isOfKey ? key : value, reason: quotes ? `${reason}, got ${source}` : reason };
    })
    .sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
    .map(({ position, reason }) => `${file.path}:${position.line}:${position.column}: ${reason}`);
}

/** Where a key and its value are, and how the value is written. */
interface Location {
  key: TextPosition;
  value: TextPosition;
  /** One short line; "a table" for tables with a header of their own. */
  source: string;
}

/** No complaint is about anything deeper, and a header may name tables within each other by the thousands. */
const MOST_LEVELS = 100;

/** Where every key and value of a document is. */
export async function findLocations(text: string): Promise<(path: TomlPath) => Location> {
  const { parseTOML } = await import('toml-eslint-parser');
  const places = new Map<string, Location>();

  const markTables = (path: TomlPath, key: AST.TOMLKey) => {
    const position = positionOf(key);
    for (let length = 1; length <= Math.min(path.length, MOST_LEVELS); length += 1) {
      const id = JSON.stringify(path.slice(0, length));
      if (!places.has(id)) places.set(id, { key: position, value: position, source: 'a table' });
    }
  };
  const markPair = (table: TomlPath, { key, value }: AST.TOMLKeyValue) => {
    const path = [...table, ...key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value))];
    markTables(path.slice(0, -1), key);
    markValue(path, key, value);
  };
  const markValue = (path: TomlPath, key: AST.TOMLNode, value: AST.TOMLContentNode) => {
    const source = shorten(text.slice(...value.range));
    places.set(JSON.stringify(path), { key: positionOf(key), value: positionOf(value), source });
    if (value.type === 'TOMLArray') {
      value.elements.forEach((element, index) => markValue([...path, index], element, element));
    }
    if (value.type === 'TOMLInlineTable') value.body.forEach((pair) => markPair(path, pair));
  };

  // smol-toml accepts a second byte order mark, this parser does not.
  const [document] = parseTOML(text.replace(/^\uFEFF/, ' '), { tomlVersion: '1.1' }).body;
  for (const item of document.body) {
    if (item.type === 'TOMLKeyValue') {
      markPair([], item);
    } else {
      markTables(item.resolvedKey, item.key);
      for (const pair of item.body) markPair(item.resolvedKey, pair);
    }
  }
  const start = { line: 1, column: 1 };
  places.set('[]', { key: start, value: start, source: 'nothing' });
  return function locationOf(path): Location {
    return places.get(JSON.stringify(path)) ?? locationOf(path.slice(0, -1));
  };
}

function positionOf(node: AST.TOMLNode): TextPosition {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}
