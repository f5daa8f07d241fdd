import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { ConfigError, messageOf } from '../../errors.ts';
import { isJsonObject, parseJson } from '../../json.ts';
import { jsonFaultPosition } from '../../json-fault.ts';
import { keysOf } from '../../known-keys.ts';
import { decodeToml, parseToml, TomlSyntaxError, type TomlTable } from '../../parse-toml.ts';
import { isInside } from '../../places/local/workspace/inside.ts';
import { realPathOf } from '../../places/local/workspace/open-inside.ts';
import { readSmallFile } from '../../places/local/workspace/small-file.ts';
import { checkToml } from '../toml/check-toml.ts';
import { locate, type Complaint, type TomlFile } from '../toml/locate.ts';
import { caseSchema, evalSchema, type WrittenCase, type WrittenEval } from './eval-schema.ts';

/** An evaluation as its file has it. */
export interface Evaluation extends Omit<WrittenEval, 'cases' | 'cases_from' | 'functions'> {
  /** As messages show it: relative to where the command is called. */
  file: string;
  /** A module with what stands in for functions of the agents; absent: they are called. */
  functions?: EvalFile;
  cases: EvalCase[];
}

/** A case, with the files that it names found. */
export interface EvalCase {
  /** As it is written: what a function that grades is shown. */
  written: WrittenCase;
  name: string;
  prompt?: string;
  /** The text that the prompt is about; absent: none. */
  input?: string | EvalFile;
  attach: EvalFile[];
  /** The folder that its workspace is a copy of; absent: it is empty. */
  files?: EvalFile;
  /** Files of expectations, by the paths that these name. */
  named: ReadonlyMap<string, EvalFile>;
}

/** A file or a folder that an evaluation names. */
export interface EvalFile {
  /** As it is written. */
  path: string;
  /** Absolute, links followed. */
  real: string;
}

/** Ten thousand cases with long prompts have less. */
const MOST_BYTES = 100_000_000;

const EVAL_KEYS = keysOf(evalSchema);
const CASE_KEYS = keysOf(caseSchema);

/**
 * Reads an evaluation with all of its cases.
 * @param cwd absolute: the project's folder
 * @param options `mayBeEmpty`: cases are still to be added
 * @throws {ConfigError} with the place of the first fault, `file:line:column: …`
 */
export async function readEvaluation(
  path: string,
  cwd: string,
  { mayBeEmpty = false } = {},
): Promise<Evaluation> {
  const file = await readFile(resolve(cwd, path), relative(cwd, resolve(cwd, path)));
  const written = await parse(file);
  const folder = dirname(resolve(cwd, path));
  const { cases, cases_from: top, functions, ...settings } = written;
  const find = (wanted: string) => findNamed(wanted, folder, cwd);
  const from = top ?? cases.find((each) => each.cases_from !== undefined)?.cases_from;
  const ofToml = await Promise.all(
    cases.map((each, index) => toCase(each, find, (key) => placeIn(file, ['cases', index, key]))),
  );
  const ofLines =
    from === undefined
      ? []
      : await readLines(await found(find(from), () => placeIn(file, ['cases_from'])), find);
  const all = [...ofToml, ...ofLines];
  const names = new Set<string>();
  for (const { name } of all) {
    if (names.has(name))
      throw new ConfigError(`${file.path}: ${JSON.stringify(name)} is the name of two cases`);
    names.add(name);
  }
  if (all.length === 0 && !mayBeEmpty)
    throw new ConfigError(`${file.path}:1:1: there are no cases: add [[cases]], or cases_from`);
  for (const { written: each } of all) {
    if (settings.judge === undefined && each.expect.some(({ kind }) => kind === 'judge'))
      throw new ConfigError(
        `${file.path}:1:1: case ${JSON.stringify(each.name)} has a judge: name its model, [judge] model = "provider/name"`,
      );
  }
  return {
    ...settings,
    file: file.path,
    ...(functions !== undefined && {
      functions: await found(find(functions), () => placeIn(file, ['functions'])),
    }),
    cases: all,
  };
}

async function readFile(path: string, shown: string): Promise<TomlFile> {
  const bytes = await readSmallFile(path, `failed to read ${shown}`, MOST_BYTES);
  if (bytes === undefined) throw new ConfigError(`evaluation not found: ${shown}`);
  return { path: shown, bytes };
}

async function parse(file: TomlFile): Promise<WrittenEval> {
  let document: TomlTable;
  try {
    document = parseToml(decodeToml(file.bytes));
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    const { line, column } = error.position;
    throw new ConfigError(`${file.path}:${line}:${column}: ${error.message}`, { cause: error });
  }
  const { typeFaults, ruleFaults, unknownKeys, output } = checkToml(evalSchema, document, EVAL_KEYS);
  const faults = await locate([...typeFaults, ...ruleFaults, ...unknownKeys], file);
  if (faults.length > 0 || output === undefined)
    throw new ConfigError(faults.join('\n') || `${file.path}:1:1: it is no evaluation`);
  return output;
}

/** The cases of a file with one JSON object a line. */
async function readLines({ path, real }: EvalFile, find: Find): Promise<EvalCase[]> {
  const bytes = await readSmallFile(real, `failed to read ${path}`, MOST_BYTES);
  const lines = new TextDecoder().decode(bytes).split('\n');
  const cases: EvalCase[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    cases.push(
      await toCase(parseLine(line, `${path}:${index + 1}`), find, async () => `${path}:${index + 1}:1`),
    );
  }
  return cases;
}

function parseLine(line: string, place: string): WrittenCase {
  const at = jsonFaultPosition(line);
  if (at !== undefined) throw new ConfigError(`${place}:${at.split(':')[1] ?? 1}: it is no JSON`);
  const value = parseJson(line);
  if (!isJsonObject(value)) throw new ConfigError(`${place}:1: a case must be a JSON object`);
  const { typeFaults, ruleFaults, unknownKeys, output } = checkToml(caseSchema, value, CASE_KEYS);
  const [fault] = [...typeFaults, ...ruleFaults, ...unknownKeys];
  if (fault !== undefined || output === undefined)
    throw new ConfigError(`${place}:1: ${fault?.reason ?? 'it is no case'}`);
  return output;
}

type Find = (path: string) => EvalFile | string;

/** Where a key is, for a message about it. */
type PlaceOf = (key: string) => Promise<string>;

async function toCase(written: WrittenCase, find: Find, placeOf: PlaceOf): Promise<EvalCase> {
  const { name, prompt, input, input_file: inputFile, files, attach = [], expect } = written;
  const named = expect.flatMap((each) =>
    each.kind === 'schema' || each.kind === 'function' ? [each.path] : [],
  );
  const foundFor = (key: string) => (path: string) => found(find(path), () => placeOf(key));
  return {
    written,
    name,
    ...(prompt !== undefined && { prompt }),
    ...(input !== undefined && { input }),
    ...(inputFile !== undefined && { input: await foundFor('input_file')(inputFile) }),
    attach: await Promise.all(attach.map(foundFor('attach'))),
    ...(files !== undefined && { files: await foundFor('files')(files) }),
    named: new Map(
      await Promise.all(named.map(async (path) => [path, await foundFor('expect')(path)] as const)),
    ),
  };
}

async function found(file: EvalFile | string, placeOf: () => Promise<string>): Promise<EvalFile> {
  if (typeof file !== 'string') return file;
  throw new ConfigError(`${await placeOf()}: ${file}`);
}

/**
 * A path is looked up beside the evaluation first, and then in the project. An evaluation that came with a repository
 * hands models what it names: it reaches nothing else.
 * @returns what is wrong with it, in words, if it cannot be used
 */
function findNamed(path: string, folder: string, cwd: string): EvalFile | string {
  const where = [resolve(folder, path), resolve(cwd, path)].find((each) => existsSync(each));
  if (where === undefined)
    return `${JSON.stringify(path)} is not there, neither beside this file nor in the project`;
  try {
    const real = realPathOf(where);
    if ([folder, cwd].some((each) => isInside(real, realPathOf(each)))) return { path, real };
  } catch (thrown) {
    return `${JSON.stringify(path)} cannot be read: ${messageOf(thrown)}`;
  }
  return `${JSON.stringify(path)} leads out of the project`;
}

/** `file:line:column` of a key. */
async function placeIn(file: TomlFile, path: Complaint['path']): Promise<string> {
  const [text = ''] = await locate([{ path, reason: '' }], file);
  return text.replace(/: $/, '');
}
