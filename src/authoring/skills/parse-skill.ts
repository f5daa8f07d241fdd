import { isMap, isScalar, LineCounter, parseDocument, type Document, type Pair } from 'yaml';
import { splitFrontMatter } from '../../core/agent-schema/skill.ts';
import { toRules } from './allowed-tools.ts';

// The format is that of https://agentskills.io/specification.

/** A skill as its SKILL.md says, or what is wrong with it. */
export interface ParsedSkill {
  name: string;
  /** In one line. */
  description: string;
  allowedTools: string[] | undefined;
  /** What keeps it from being used, each with its place: `file:line:column: …`. */
  errors: string[];
  /** Keys that have no effect here, likewise. */
  warnings: string[];
}

const NAME = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
/** All of it. The parser takes minutes for many keys, and ends the process where it comes upon too many lists in lists. */
const MAX_FRONT_MATTER = 10_000;

/** The keys of the format. */
const KEYS = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];

/**
 * @param text of a SKILL.md
 * @param file its path, as messages show it
 * @param folder the name of its folder
 */
export function parseSkill(text: string, file: string, folder: string): ParsedSkill {
  const errors: string[] = [];
  const warnings: string[] = [];
  const { frontMatter } = splitFrontMatter(text);
  const lines = new LineCounter();
  const document = parseDocument(frontMatter.length > MAX_FRONT_MATTER ? '' : frontMatter, {
    lineCounter: lines,
    logLevel: 'silent',
  });
  /** @param offset in the front matter, whose first line is the second of the file */
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line + 1}:${col}`;
  };
  const parsed = { name: '', description: '', allowedTools: undefined, errors, warnings };
  const fault = frontMatterFault(text, frontMatter, document);
  if (fault !== undefined) {
    const place = fault.offset === undefined ? `${file}:1:1` : placeOf(fault.offset);
    return { ...parsed, errors: [`${place}: ${fault.reason}`] };
  }

  const keys = keysOf(document);
  const at = (key: string) => placeOf(keys.get(key)?.offset ?? 0);
  const complain = (key: string, reason: string) => void errors.push(`${at(key)}: ${reason}`);
  /** A text, or undefined where it is missing or a complaint has been made. */
  const textOf = (key: string): string | undefined => {
    const value = keys.get(key)?.value;
    if (value === undefined || typeof value === 'string') return value;
    complain(key, `${key} must be a text: put it between quotation marks`);
    return undefined;
  };

  for (const key of ['name', 'description']) {
    if (!keys.has(key))
      errors.push(`${file}:1:1: ${key} is missing: add a line "${key}: …" to the front matter`);
  }
  const name = textOf('name');
  if (name !== undefined && !NAME.test(name)) {
    complain(
      'name',
      `name ${JSON.stringify(name)} is none: use 1 to 64 small letters (a to z), digits and single hyphens, such as "pdf-forms"`,
    );
  } else if (name !== undefined && name !== folder) {
    complain('name', `name "${name}" is not that of its folder, "${folder}": give both the same`);
  }
  const description = textOf('description')?.trim().replaceAll(/\s+/g, ' ');
  const length = lengthOf(textOf('description')?.trim() ?? '');
  if (description === '')
    complain('description', 'description is empty: say what the skill is for, and when to use it');
  if (length > MAX_DESCRIPTION) {
    complain(
      'description',
      `description has ${length} characters, at most ${MAX_DESCRIPTION} are allowed: move the rest into the text below`,
    );
  }
  textOf('license');
  const compatibility = lengthOf(textOf('compatibility') ?? 'any');
  if (compatibility === 0 || compatibility > MAX_COMPATIBILITY) {
    complain(
      'compatibility',
      `compatibility has ${compatibility} characters, 1 to ${MAX_COMPATIBILITY} are allowed: shorten it or leave it out`,
    );
  }
  const metadata = keys.get('metadata')?.value;
  if (metadata !== undefined && !isRecord(metadata)) {
    complain('metadata', 'metadata must be a table: a line "key: value" for each entry');
  }
  const allowed = keys.get('allowed-tools')?.value;
  const rules = allowed === undefined ? undefined : toRules(allowed);
  if (rules !== undefined && 'reason' in rules) complain('allowed-tools', rules.reason);
  const unknown = [...keys.keys()].filter((key) => !KEYS.includes(key));
  warnings.push(
    ...unknown.map((key) => `${at(key)}: key ${JSON.stringify(key)} has no effect: it is not one of skills`),
  );
  return {
    ...parsed,
    name: name ?? '',
    description: description ?? '',
    allowedTools: rules !== undefined && 'rules' in rules ? rules.rules : undefined,
  };
}

interface Fault {
  /** In the front matter; absent: at the start of the file. */
  offset?: number;
  reason: string;
}

/** What is wrong with the front matter as a whole. */
function frontMatterFault(text: string, frontMatter: string, document: Document): Fault | undefined {
  if (frontMatter.trim() === '') {
    const begins = /^\uFEFF?---[ \t]*\r?\n/.test(text) && !/^\uFEFF?---[ \t]*\r?\n\s*---/.test(text);
    return {
      reason: begins
        ? 'the front matter has no end: put a line --- behind its keys'
        : 'there is no front matter: begin the file with a line ---, the keys name and description, and another line ---',
    };
  }
  if (frontMatter.length > MAX_FRONT_MATTER) {
    return {
      reason: `the front matter has ${frontMatter.length} characters, at most ${MAX_FRONT_MATTER} are allowed: move the rest into the text below`,
    };
  }
  const [error] = document.errors;
  if (error !== undefined) {
    const reason =
      error.code === 'DUPLICATE_KEY'
        ? 'the key is given twice: leave one out'
        : 'the front matter is not YAML: put a value with a colon, a quotation mark or a special character at its start between quotation marks';
    return { offset: error.pos[0], reason };
  }
  if (isMap(document.contents) && toValue(document) !== undefined) return undefined;
  return { offset: 0, reason: 'the front matter must have a line "key: value" for each key' };
}

/** @returns undefined where an alias stands for nothing, or for too much */
function toValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 10 });
  } catch {
    return undefined;
  }
}

/** The keys with their values, and where the values are: at the key where one has none. */
function keysOf(document: Document): Map<string, { value: unknown; offset: number }> {
  const values = toValue(document);
  const found = new Map<string, { value: unknown; offset: number }>();
  if (!isMap(document.contents) || !isRecord(values)) return found;
  for (const pair of document.contents.items) {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
    // A key without a value counts as one with an empty text.
    found.set(key, { value: values[key] ?? '', offset: offsetOf(pair) });
  }
  return found;
}

function offsetOf({ key, value }: Pair): number {
  const places = [value, key].map((node) => (isRecord(node) ? node['range'] : undefined));
  const range: unknown = places.find(Array.isArray);
  const start: unknown = Array.isArray(range) ? range[0] : 0;
  return typeof start === 'number' ? start : 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** In characters, however many units of UTF-16 one takes. */
function lengthOf(text: string): number {
  return [...text].length;
}
