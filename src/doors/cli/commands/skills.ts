import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { assertName } from '../../../core/agent-schema/agent-name.ts';
import { ConfigError } from '../../../errors.ts';
import { agentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import { readSkillFile, skillsIn } from '../../../authoring/loading/folders/skill-file.ts';
import { copySkill } from '../../../authoring/skills/copy-skill.ts';
import { checkSkill, foldersOf } from '../../../authoring/skills/find-skills.ts';
import { parseSkill } from '../../../authoring/skills/parse-skill.ts';
import type { AgentsOptions } from './agents.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';

/** `cadre skills list`: the skills beside the agents of the project and the user's own. */
export async function listSkills(options: AgentsOptions, io: Io): Promise<void> {
  const found = new Map<string, string>();
  for (const root of roots(options, io)) {
    for (const name of await skillsIn(root)) {
      const text = found.has(name) ? undefined : await readSkillFile(skillPath(root, name));
      if (text !== undefined) found.set(name, parseSkill(text, '', '').description);
    }
  }
  if (found.size === 0) tellNone(options, io);
  for (const [name, description] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
    io.stdout(description === '' ? `${name}\n` : `${name} - ${oneLine(description)}\n`);
  }
}

/** `cadre skills show <skill>`: the text of its SKILL.md. */
export async function showSkill(name: string, options: AgentsOptions, io: Io): Promise<void> {
  assertName('skill', name);
  const paths = roots(options, io).map((root) => skillPath(root, name));
  for (const path of paths) {
    const text = await readSkillFile(path);
    if (text !== undefined) return io.stdout(text);
  }
  throw new ConfigError(`skill not found: ${paths[0]}`);
}

/**
 * `cadre skills check [folder…]`: the skills in these folders, each a skill's or one of skills, or else all. A line for
 * each that is in order on stdout, the rest on stderr.
 * @returns the exit code: 2 where anything is wrong; lesser faults are warnings
 */
export async function checkSkills(
  folders: readonly string[],
  options: AgentsOptions,
  io: Io,
): Promise<number> {
  const named = folders.map((folder) => skillFoldersIn(resolve(io.cwd, folder)));
  const found = (await Promise.all(folders.length > 0 ? named : [allSkillFolders(options, io)])).flat();
  const areGood: boolean[] = [];
  for (const folder of found) areGood.push(await isGood(folder, io));
  if (found.length === 0) tellNone(options, io);
  return areGood.every(Boolean) ? EXIT.success : EXIT.configuration;
}

export interface AddOptions extends AgentsOptions {
  force?: boolean;
}

/**
 * `cadre skills add <folder>`: copies a skill, or all that lie in a folder, beside the agents of the project.
 * @returns the exit code: 2, and nothing is copied, where one of them is wrong
 * @throws {ConfigError} if there is none, or files with other content are there already
 */
export async function addSkills(written: string, options: AddOptions, io: Io): Promise<number> {
  const found = await skillFoldersIn(resolve(io.cwd, written));
  const quiet = { ...io, stdout: () => undefined };
  const areGood: boolean[] = [];
  for (const folder of found) areGood.push(await isGood(folder, quiet));
  if (!areGood.every(Boolean)) return EXIT.configuration;
  const [root = io.cwd] = roots(options, io);
  for (const folder of found) {
    const to = join(root, 'skills', basename(folder));
    const { differing } =
      folder === to ? { differing: [] } : await copySkill(folder, to, options.force === true);
    if (differing.length > 0) {
      const paths = differing.map((path) => join('skills', basename(folder), path)).join(', ');
      throw new ConfigError(`files are there already, with other content: ${paths}; --force overwrites them`);
    }
    io.stdout(`${relative(io.cwd, to)}\n`);
  }
  return EXIT.success;
}

/** Prints what is wrong with a skill, or that it is in order. */
async function isGood(folder: string, io: Io): Promise<boolean> {
  const { errors, warnings } = await checkSkill(folder, io.cwd, io.cwd);
  for (const warning of warnings) io.stderr(`Warning: ${oneLine(warning)}\n`);
  for (const error of errors) io.stderr(`Error: ${oneLine(error)}\n`);
  if (errors.length > 0) return false;
  io.stdout(`${basename(folder)}: ok\n`);
  return true;
}

/**
 * @param path absolute
 * @returns the path itself if it is a skill's folder, otherwise the skills' folders in it
 * @throws {ConfigError} if there is neither
 */
async function skillFoldersIn(path: string): Promise<string[]> {
  return existsSync(join(path, 'SKILL.md')) ? [path] : foldersOf(join(path, '*'), path);
}

async function allSkillFolders(options: AgentsOptions, io: Io): Promise<string[]> {
  const found = await Promise.all(
    roots(options, io).map(async (root) => (await skillsIn(root)).map((name) => join(root, 'skills', name))),
  );
  return found.flat().filter((folder) => existsSync(join(folder, 'SKILL.md')));
}

function tellNone(options: AgentsOptions, io: Io): void {
  const folders = roots(options, io).map((root) => join(root, 'skills'));
  io.stderr(`no skills in ${folders.join(' or ')}; a skill is a folder with a SKILL.md\n`);
}

/** The folders above the agents folders: skills/ is beside agents/. */
function roots(options: AgentsOptions, io: Io): string[] {
  return agentFolders({ ...options, ...io }).map((folder) => dirname(folder));
}

function skillPath(root: string, name: string): string {
  return join(root, 'skills', name, 'SKILL.md');
}
