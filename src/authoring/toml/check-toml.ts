import * as v from 'valibot';
import type { Complaint } from './locate.ts';
import { ANY_KEYS, nearestKey } from '../../known-keys.ts';
import { isTable, type TomlPath, type TomlTable } from '../../parse-toml.ts';

export interface CheckedToml<Output> {
  /** Values of the wrong type, in no order. */
  typeFaults: Complaint[];
  /** Values of the right type that break a rule, and required ones that are missing, in the order of the schema. */
  ruleFaults: Complaint[];
  /** Keys that are not known, but for the user's own. */
  unknownKeys: Complaint[];
  /** Absent if there is any fault. */
  output?: Output;
}

/**
 * Holds a document against a schema. The schema's messages for types are nouns ("a string"); those for rules are whole
 * sentences, in which `{key}` stands for the key as in `memory.last_n`.
 *
 * A key that is not known is a fault: it may be a limit or a denial that is misspelled, and would not hold.
 * @param known an object with every known key, tables as objects
 * @param secret whether complaints must leave out values of the file
 */
export function checkToml<Output>(
  schema: v.GenericSchema<unknown, Output>,
  document: TomlTable,
  known: TomlTable,
  { secret = false } = {},
): CheckedToml<Output> {
  const unknownKeys: Complaint[] = [];
  const typeFaults: Complaint[] = [];
  const notTables: TomlPath[] = [];
  const mustBe = (path: TomlPath, noun: string) => {
    typeFaults.push({ path, reason: `${toDotted(path)} must be ${noun}`, quotes: !secret });
  };

  const compare = (table: TomlTable, expected: TomlTable, path: TomlPath) => {
    for (const [key, value] of Object.entries(table)) {
      const here = [...path, key];
      const wanted = Object.hasOwn(expected, key) ? expected[key] : undefined;
      if (wanted === undefined && isOwn(key, value)) continue;
      if (wanted === undefined) {
        const reason = `unknown key ${JSON.stringify(toDotted(here))}, ${nearestKey(here, known)}`;
        unknownKeys.push({ path: here, isOfKey: true, reason });
      } else if (Array.isArray(wanted)) {
        const each: unknown = wanted[0];
        const items: unknown[] = Array.isArray(value) ? value : [];
        items.forEach((item, index) => {
          if (isTable(item) && isTable(each)) compare(item, each, [...here, index]);
        });
      } else if (isTable(wanted)) {
        // valibot takes arrays and dates for objects, and complains of their members.
        if (isTable(value)) {
          if (wanted !== ANY_KEYS) compare(value, wanted, here);
        } else {
          mustBe(here, 'a table');
          notTables.push(here);
        }
      }
    }
  };
  compare(document, known, []);

  const ruleFaults: Complaint[] = [];
  const result = v.safeParse(schema, document);
  for (const issue of result.issues ?? []) {
    const path = toPath(issue);
    if (notTables.some((table) => table.every((step, index) => step === path[index]))) continue;
    const missing = issue.received === 'undefined';
    const isType = issue.kind === 'schema' || issue.type === 'integer' || issue.type === 'finite';
    if (isType && !missing) mustBe(path, issue.message);
    else ruleFaults.push({ path, reason: issue.message.replaceAll('{key}', () => toDotted(path)) });
  }

  const faultless = result.success && typeFaults.length === 0 && unknownKeys.length === 0;
  return { typeFaults, ruleFaults, unknownKeys, ...(faultless && { output: result.output }) };
}

/** Whether a key is the user's own, and means nothing here: a table `x`, and any key that begins with `x-`. */
function isOwn(key: string, value: unknown): boolean {
  return key.startsWith('x-') || (key === 'x' && isTable(value));
}

function toPath(issue: v.BaseIssue<unknown>): (string | number)[] {
  return (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
}

function toDotted(path: TomlPath): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}
