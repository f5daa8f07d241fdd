import { writeFileSync } from 'node:fs';
import * as v from 'valibot';
import { ConfigError } from '../../errors.ts';
import { readSmallFileNow } from '../local/workspace/small-file.ts';

/** The kinds of what is granted as agents name it. */
const KINDS = ['models', 'functions', 'guardrails'] as const;

/**
 * Models (`bedrock/…`), existing functions and guardrails, as agents name them. Runs that are open, idle or resumed
 * continue with those that they were opened with, even if the newest agents no longer name them.
 */
export type KeptGrants = Record<(typeof KINDS)[number], string[]>;

/** The value of a grant that agents name; otherwise the value is the day since which none does, in ISO 8601. */
const NAMED = 'named';
const Dated = v.record(v.string(), v.union([v.literal(NAMED), v.pipe(v.string(), v.isoDate())]));
type Dated = v.InferOutput<typeof Dated>;
/** By the name of the environment. */
const File = v.record(
  v.string(),
  v.partial(v.object({ models: Dated, functions: Dated, guardrails: Dated })),
);
type File = v.InferOutput<typeof File>;

/** The file beside cdk.json, which belongs into version control with it. */
export const GRANTS_FILE = 'cadre.grants.json';

/**
 * Adds new grants to the kept ones.
 * @param path of the file; undefined: nothing is remembered
 * @param day today
 * @returns all grants to make
 * @throws {ConfigError} if the file has another form
 */
export function keepGrants(
  path: string | undefined,
  environment: string,
  current: KeptGrants,
  day: string,
): KeptGrants {
  if (path === undefined) return current;
  const file = readGrants(path);
  const before = file[environment] ?? {};
  const kept = ofEach((kind) => dated(before[kind], current[kind], day));
  const isEmpty = Object.values(kept).every((all) => Object.keys(all).length === 0);
  if (!isEmpty && JSON.stringify(kept) !== JSON.stringify(before))
    writeGrants(path, { ...file, [environment]: kept });
  return ofEach((kind) => Object.keys(kept[kind]));
}

function ofEach<T>(make: (kind: keyof KeptGrants) => T): Record<keyof KeptGrants, T> {
  return { models: make('models'), functions: make('functions'), guardrails: make('guardrails') };
}

/**
 * Removes grants that no agent has named since a day.
 * @param since that day, in ISO 8601
 * @returns what was removed
 * @throws {ConfigError} if the file has another form
 */
export function forgetGrants(path: string, environment: string, since: string, dryRun: boolean): string[] {
  const file = readGrants(path);
  const kept = file[environment];
  if (kept === undefined) return [];
  const isOld = ([, value]: [string, string]) => value !== NAMED && value < since;
  const old = KINDS.flatMap((kind) => Object.entries(kept[kind] ?? {}).filter(isOld));
  const young = ofEach((kind) =>
    Object.fromEntries(Object.entries(kept[kind] ?? {}).filter((entry) => !isOld(entry))),
  );
  if (old.length > 0 && !dryRun) writeGrants(path, { ...file, [environment]: young });
  return old.map(([name]) => name);
}

function dated(before: Dated = {}, current: readonly string[], day: string): Dated {
  const isNamed = new Set(current);
  const entries = [...new Set([...Object.keys(before), ...current])].sort().map((name): [string, string] => {
    const value = before[name] ?? NAMED;
    return [name, isNamed.has(name) ? NAMED : value === NAMED ? day : value];
  });
  return Object.fromEntries(entries);
}

function readGrants(path: string): File {
  const bytes = readSmallFileNow(path, `failed to read ${path}`);
  if (bytes === undefined) return {};
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), File), new TextDecoder().decode(bytes));
  if (read.success) return read.output;
  throw new ConfigError(
    `${path} is not what a synthesis writes, {"dev": {"models": {…}, "functions": {…}}}: mend it, or take it from version control`,
  );
}

function writeGrants(path: string, file: File): void {
  writeFileSync(path, `${JSON.stringify(file, undefined, 2)}\n`);
}
