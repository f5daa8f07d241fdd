import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { splitFrontMatter } from '../../core/agent-schema/skill.ts';
import { ConfigError } from '../../errors.ts';
import { findLocations } from '../toml/locate.ts';
import {
  isTable,
  parseToml,
  shorten,
  TomlSyntaxError,
  type TomlPath,
  type TomlTable,
} from '../../parse-toml.ts';
import { Keys, type Written } from './keys.ts';

/** A Markdown file with front matter. */
export interface Markdown {
  keys: Keys;
  /** The text after the front matter and the blank lines behind it, byte for byte. */
  body: string;
}

/**
 * The last value of a key counts, as in JSON: to look for others of its name takes minutes where there are thousands. So
 * does to draw the line of each error.
 */
const READING = { logLevel: 'silent', uniqueKeys: false, prettyErrors: false } as const;

/**
 * Reads the keys of a Markdown file's front matter. Much of it in the wild is not quite YAML; see `readLoosely`.
 * @throws {ConfigError} with the line of a list or a table that does not end
 */
export function readMarkdown(file: string, text: string): Markdown {
  const { frontMatter, body } = splitFrontMatter(text);
  const lines = new LineCounter();
  const document = parseDocument(isDeep(frontMatter) ? '' : frontMatter, { ...READING, lineCounter: lines });
  const values = toValue(document);
  const lineOf = linesOf(document, lines);
  // Its first line is the one with the three dashes.
  const written = isTable(values)
    ? { file, values, lineOf: (path: TomlPath) => lineOf(path) + 1 }
    : readLoosely(file, frontMatter);
  return { keys: new Keys(written), body };
}

/**
 * Reads a JSON file, in which there may be comments.
 * @throws {ConfigError} with the place of the fault
 */
export function readJson(file: string, text: string): Keys {
  const lines = new LineCounter();
  const json = withoutComments(text.replace(/^\uFEFF/, ' '));
  if (isDeep(json))
    throw new ConfigError(`${file}:1:1: more than ${MOST_LEVELS} values lie within each other`);
  const document = parseDocument(json, { ...READING, lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new ConfigError(`${file}:${line}:${col}: the file is not JSON`, { cause: fault });
  }
  const values = toValue(document);
  if (!isTable(values)) throw new ConfigError(`${file}:1:1: the file is not a JSON object`);
  return new Keys({ file, values, lineOf: linesOf(document, lines) });
}

/** @throws {ConfigError} with the place of the fault */
export async function readToml(file: string, text: string): Promise<Keys> {
  try {
    const values = parseToml(text);
    const placeOf = await findLocations(text);
    return new Keys({ file, values, lineOf: (path) => placeOf(path).key.line });
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    const { line, column } = error.position;
    throw new ConfigError(`${file}:${line}:${column}: ${error.message}`, { cause: error });
  }
}

function linesOf(document: Document, lines: LineCounter): Written['lineOf'] {
  const known = new Map<YAMLMap, Map<unknown, Pair>>();
  const pairsOf = (map: YAMLMap) => {
    const pairs =
      known.get(map) ??
      new Map(map.items.map((pair) => [isScalar(pair.key) ? pair.key.value : pair.key, pair]));
    known.set(map, pairs);
    return pairs;
  };
  return (path) => {
    let node: unknown = document.contents;
    let line = 1;
    for (const step of path) {
      const pair = isMap(node) ? pairsOf(node).get(step) : undefined;
      const found: unknown = isSeq(node) ? node.items[Number(step)] : pair?.key;
      if (!isNode(found) || !found.range) return line;
      line = lines.linePos(found.range[0]).line;
      node = isSeq(node) ? found : pair?.value;
    }
    return line;
  };
}

/** No file that people write has so many, and the parser ends the process where the stack does. */
const MOST_LEVELS = 100;

/** Whether lists and tables lie within each other further than a parser that calls itself for each can go. */
function isDeep(text: string): boolean {
  let level = 0;
  for (const [bracket] of text.replace(QUOTED, '').matchAll(/[[{}\]]/g)) {
    level = Math.max(0, level + (bracket === '[' || bracket === '{' ? 1 : -1));
    if (level > MOST_LEVELS) return true;
  }
  return false;
}

/** @returns undefined for a text that is no YAML */
function toValue(document: Document): unknown {
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS();
  } catch {
    // An alias that stands for nothing: `**/*.ts` without quotes.
    return undefined;
  }
}

/**
 * Front matter as its authors mean it where YAML refuses it, most often for a description with a colon and a space in
 * it: each line that begins with a key begins a value, which goes on to the next such line.
 */
function readLoosely(file: string, frontMatter: string): Written {
  const values: TomlTable = {};
  const places = new Map<string, number>();
  let last: string | undefined;
  for (const [index, line] of frontMatter.split(/\r?\n/).entries()) {
    const [, key, value = ''] = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(line) ?? [];
    const item = /^\s*-\s+(.*)$/.exec(line)?.[1];
    if (key !== undefined) {
      last = key;
      places.set(key, index + 2);
      values[key] = unquoted(value.trim());
    } else if (last !== undefined && line.trim() !== '') {
      const before = values[last];
      if (item !== undefined && (before === '' || Array.isArray(before))) {
        values[last] = [...(Array.isArray(before) ? (before as unknown[]) : []), unquoted(item.trim())];
      } else if (typeof before === 'string') {
        values[last] = /^[|>][+-]?$|^$/.test(before) ? line.trim() : `${before}\n${line.trim()}`;
      }
    }
  }
  const broken = Object.entries(values).find(
    ([, value]) => typeof value === 'string' && /^(?:\[[^\]]*|\{[^}]*)$/.test(value),
  );
  if (broken !== undefined) {
    const [key, value] = broken;
    const first = JSON.stringify(shorten(String(value)));
    throw new ConfigError(
      `${file}:${places.get(key)}: the front matter is not YAML: ${key} is ${first}, which nothing closes`,
    );
  }
  return { file, values, lineOf: ([key]) => places.get(String(key)) ?? 1 };
}

function unquoted(text: string): unknown {
  const parsed = isDeep(text) ? undefined : toValue(parseDocument(text, READING));
  const isPlain = typeof parsed === 'number' || typeof parsed === 'boolean' || Array.isArray(parsed);
  return isPlain ? parsed : text.replace(/^(["'])(.*)\1$/s, '$2');
}

const QUOTED = /"(?:[^"\\]|\\[^])*(?:"|\\?$)/g;

/** What nothing closes goes on to the end: it is looked for once. */
const QUOTED_OR_COMMENT = new RegExp(`${QUOTED.source}|//[^\\n]*|/\\*[^]*?(?:\\*/|$)`, 'g');

/** JSON without its comments, in whose place there are spaces, so that everything else stays where it is. */
function withoutComments(text: string): string {
  return text.replaceAll(QUOTED_OR_COMMENT, (found) =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, ' '),
  );
}
