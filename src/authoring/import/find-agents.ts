import { readdirSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { ConfigError } from '../../errors.ts';
import { fileFault, isMissing } from '../../places/local/workspace/file-fault.ts';
import { readSmallFileNow } from '../../places/local/workspace/small-file.ts';
import { axe } from './axe.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import type { Format, FormatName } from './draft.ts';
import { gemini } from './gemini.ts';
import type { Found } from './import-agents.ts';
import { opencode } from './opencode.ts';
import type { Project } from './project.ts';

const FORMATS: readonly Format[] = [claude, codex, copilot, gemini, opencode, axe];
/** In the order in which a file from nowhere in particular is held against them, the surest signs first. */
const BY_CONTENT: readonly Format[] = [copilot, codex, gemini, opencode, claude, axe];

/** The folders whose names say which tool they belong to; the folder above them is the project. */
const OWN_FOLDERS = /^\.(claude|codex|gemini|github|opencode|vscode)$/;
/** Where a project keeps skills for any tool: https://agentskills.io */
const SHARED_SKILLS = '.agents/skills';
/** Folders whose contents users do not mean when they name one above. */
const SKIPPED = /^(\.git|node_modules)$/;
/** More entries than any collection of agents has. */
const MAX_ENTRIES = 20_000;

/** The agents below a path, and the project that they are of. */
export interface FoundAgents {
  /** The absolute path of the project. */
  root: string;
  project: Project;
  found: Found[];
  /** Whether the path is a folder, so that everything in it is meant. */
  isFolder: boolean;
  /** The names of the skills of the project, by the folder that they are in: absolute, the first is preferred. */
  skills: Map<string, string[]>;
}

/**
 * Finds the agents of other tools at a path: a project, one of its folders, a file, or a collection that is no project.
 * @param from the only format that is looked for; absent: all
 * @throws {ConfigError} if there is no such path, or no agent
 */
export function findAgents(written: string, cwd: string, from?: FormatName): FoundAgents {
  const path = resolve(cwd, written);
  const isFolder = kindOf(path, written);
  const root = rootOf(path, isFolder);
  const below = toSlashes(relative(cwd, root));
  const cache = new Map<string, string | undefined>();
  const outside = new Set<string>();
  const project: Project = {
    ...(!below.startsWith('..') && { below }),
    read(name) {
      if (!cache.has(name)) cache.set(name, readBelow(root, name, outside));
      return cache.get(name);
    },
    outside,
  };
  const formats = FORMATS.filter(({ name }) => from === undefined || name === from);
  const inPath = toSlashes(relative(root, path));
  const isInPath = (name: string) => inPath === '' || name === inPath || name.startsWith(`${inPath}/`);

  let found: Found[] = formats
    .map((format) => ({
      format,
      paths: filesIn(root, format.agents)
        .filter(isInPath)
        .filter((name) => project.read(name) !== undefined),
    }))
    .filter(({ paths }) => paths.length > 0);
  if (found.length === 0) {
    const files = isFolder ? walk(path).map((name) => toSlashes(relative(root, join(path, name)))) : [inPath];
    const isSaid = !isFolder && from !== undefined;
    const surest = BY_CONTENT.filter((format) => formats.includes(format));
    found = byContent(files, surest, project, isSaid);
  }
  if (found.length === 0) throw new ConfigError(nothingAt(written, from));
  const folders = [...new Set([...found.flatMap(({ format }) => format.skills), SHARED_SKILLS])];
  const skills = new Map(folders.map((folder) => [join(root, folder), skillsIn(join(root, folder))]));
  return { root, isFolder, project, found, skills };
}

/** Files that are in no place of their own, by what they look like. */
function byContent(
  files: readonly string[],
  formats: readonly Format[],
  project: Project,
  isSaid: boolean,
): Found[] {
  const paths = new Map<Format, string[]>();
  for (const file of files) {
    if (!/\.(md|toml|jsonc?)$/.test(file) || /(^|\/)(SKILL|README)\.md$/i.test(file)) continue;
    const text = project.read(file);
    if (text === undefined) continue;
    const format = isSaid ? formats[0] : formats.find((each) => each.isAgent(file, text));
    if (format !== undefined) paths.set(format, [...(paths.get(format) ?? []), file]);
  }
  // AGENTS.md is the agent only where there is no other: it is for all of them.
  const found = [...paths].map(([format, all]) => ({ format, paths: all }));
  const isInstructions = (name: string) => /(^|\/)(AGENTS|GEMINI)\.md$/.test(name);
  const agents = found
    .map(({ format, paths: all }) => ({ format, paths: all.filter((name) => !isInstructions(name)) }))
    .filter(({ paths: all }) => all.length > 0);
  return agents.length > 0 ? agents : found;
}

function kindOf(path: string, written: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    const why = isMissing(error) ? 'there is no such file or folder' : fileFault(error);
    throw new ConfigError(`failed to import from ${JSON.stringify(written)}: ${why}`, { cause: error });
  }
}

function rootOf(path: string, isFolder: boolean): string {
  const parts = path.split(sep);
  const own = parts.findLastIndex((part) => OWN_FOLDERS.test(part));
  if (own > 0) return parts.slice(0, own).join(sep) || sep;
  const folder = isFolder ? path : dirname(path);
  // Skills are beside the folder of the agents.
  return basename(folder) === 'agents' ? dirname(folder) : folder;
}

/** @param outside called with a link that leads out of the root: its author may be hostile to the user */
function readBelow(root: string, name: string, outside: Set<string>): string | undefined {
  const path = join(root, name);
  if (!isBelow(root, path) || !isFile(path)) return undefined;
  if (!isBelow(realpathSync(root), realpathSync(path))) return void outside.add(name);
  const bytes = readSmallFileNow(path, `failed to read ${path}`);
  return bytes && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function isBelow(root: string, path: string): boolean {
  return relative(root, path).split(sep)[0] !== '..';
}

/** The files that fit a pattern, sorted. */
function filesIn(root: string, patterns: readonly string[]): string[] {
  const names = patterns.flatMap((pattern) => {
    const { base, glob } = picomatch.scan(pattern);
    if (glob === '') return isFile(join(root, base)) ? [base] : [];
    const fits = picomatch(pattern, { dot: true });
    return walk(join(root, base))
      .map((name) => `${base}/${toSlashes(name)}`)
      .filter((name) => fits(name));
  });
  return [...new Set(names)].sort();
}

/** The files below a folder, by their paths from there; none if there is no such folder. */
function walk(folder: string): string[] {
  const files: string[] = [];
  const folders = [''];
  for (const inside of folders) {
    for (const entry of entriesOf(join(folder, inside))) {
      const name = join(inside, entry.name);
      if (entry.isDirectory() && !SKIPPED.test(entry.name)) folders.push(name);
      else if (entry.isFile() || (entry.isSymbolicLink() && isFile(join(folder, name)))) files.push(name);
      if (files.length + folders.length > MAX_ENTRIES) {
        throw new ConfigError(
          `more than ${MAX_ENTRIES} files below ${folder}: name the folder of the agents`,
        );
      }
    }
  }
  return files.sort();
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw new ConfigError(`failed to read folder ${folder}: ${fileFault(error)}`, { cause: error });
  }
}

function skillsIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() && isFile(join(folder, entry.name, 'SKILL.md')))
    .map(({ name }) => name)
    .sort();
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // there is none, or its links lead round in a circle
  }
}

function toSlashes(path: string): string {
  return path.split(sep).join('/');
}

function nothingAt(written: string, from: FormatName | undefined): string {
  const what = from === undefined ? 'agent of another tool' : `agent of the format ${from}`;
  const hint = from === undefined ? '; --from says of which tool a file is' : '';
  return `no ${what} in ${JSON.stringify(written)}${hint}`;
}
