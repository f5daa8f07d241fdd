import * as v from 'valibot';
import { nearestKey } from './nearest-key.ts';
import { isTable, type Position, type TomlDocument, type TomlPath } from './toml-document.ts';

/** One complaint about a document and where it stands. */
export interface Finding {
  position: Position;
  reason: string;
}

export interface CheckedToml<Output> {
  /** Values of the wrong type, in the order of the file. */
  typeFaults: Finding[];
  /** Values of the right type that break a rule, and required ones that are missing, in the order of the schema. */
  ruleFaults: Finding[];
  /** Keys that are not known, in the order of the file. */
  unknownKeys: Finding[];
  /** Absent if there is any fault. */
  output?: Output;
}

/**
 * Holds a document against a schema. The schema's messages for types are nouns ("a string"), those for rules are
 * whole sentences.
 * @param known an object with every known key, tables as objects
 * @param secret whether complaints must leave out what is written in the file
 */
export function checkToml<Output>(
  schema: v.GenericSchema<unknown, Output>,
  document: TomlDocument,
  known: Record<string, unknown>,
  { secret = false } = {},
): CheckedToml<Output> {
  const unknownKeys: Finding[] = [];
  const typeFaults: Finding[] = [];
  const notTables: string[][] = [];
  const mustBe = (path: TomlPath, noun: string) => {
    const place = document.placeOf(path);
    const got = secret ? '' : `, got ${place.source}`;
    typeFaults.push({ position: place.value, reason: `${toDotted(path)} must be ${noun}${got}` });
  };

  const compare = (table: Record<string, unknown>, expected: Record<string, unknown>, path: string[]) => {
    for (const [key, value] of Object.entries(table)) {
      const here = [...path, key];
      const wanted = Object.hasOwn(expected, key) ? expected[key] : undefined;
      if (wanted === undefined) {
        const reason = `unknown key ${JSON.stringify(toDotted(here))}, ${nearestKey(here, known)}`;
        unknownKeys.push({ position: document.placeOf(here).key, reason });
      } else if (isTable(wanted)) {
        // valibot takes arrays and dates for objects, and complains of what is in them.
        if (isTable(value)) {
          compare(value, wanted, here);
        } else {
          mustBe(here, 'a table');
          notTables.push(here);
        }
      }
    }
  };
  compare(document.value, known, []);

  const ruleFaults: Finding[] = [];
  const result = v.safeParse(schema, document.value);
  for (const issue of result.issues ?? []) {
    const path = toPath(issue);
    if (notTables.some((table) => table.every((step, index) => step === path[index]))) continue;
    const missing = issue.received === 'undefined';
    const isType = issue.kind === 'schema' || issue.type === 'integer' || issue.type === 'finite';
    if (isType && !missing) mustBe(path, issue.message);
    else ruleFaults.push({ position: document.placeOf(path).value, reason: issue.message });
  }

  typeFaults.sort(byPosition);
  unknownKeys.sort(byPosition);
  const faultless = result.success && typeFaults.length === 0;
  return { typeFaults, ruleFaults, unknownKeys, ...(faultless && { output: result.output }) };
}

function toPath(issue: v.BaseIssue<unknown>): (string | number)[] {
  return (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
}

function toDotted(path: TomlPath): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

function byPosition(a: Finding, b: Finding): number {
  return a.position.line - b.position.line || a.position.column - b.position.column;
}
