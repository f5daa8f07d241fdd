import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import type { LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import { matchesStars } from '../../core/agent-schema/permission-rule.ts';
import { skillFolder, type Skill } from '../../core/agent-schema/skill.ts';
import { WorkspaceError } from '../../core/agent-schema/workspace.ts';
import { ConfigError } from '../../errors.ts';
import { fileFault, isMissing } from '../../places/local/workspace/file-fault.ts';
import { openFolderWorkspace } from '../../places/local/workspace/folder-workspace.ts';
import { isInside, wayIn } from '../../places/local/workspace/inside.ts';
import { defined } from '../../defined.ts';
import { parseSkill } from './parse-skill.ts';

const SKILL_FILE = 'SKILL.md';

/** The most bytes of a SKILL.md, which a model reads at once. */
const MAX_BYTES = 1_000_000;

/** More than a model could choose among. */
const MAX_SKILLS = 200;

/** A skill that was found, and what is odd about it. */
export interface FoundSkill {
  skill: Skill;
  /** Each with its place. */
  warnings: string[];
}

/**
 * The skills of an agent, in the order in which its file lists them.
 * @param cwd absolute: the folder that paths in messages are relative to
 * @throws {ConfigError} for the first that cannot be used
 */
export async function skillsOf({ agent, root }: LoadedAgent, cwd: string): Promise<Skill[]> {
  const folders = new Set<string>();
  for (const written of agent.skills) {
    for (const folder of await foldersOf(written, root)) folders.add(folder);
  }
  if (folders.size > MAX_SKILLS) throw new ConfigError(`more than ${MAX_SKILLS} skills: list fewer`);
  const skills = new Map<string, Skill>();
  for (const folder of folders) {
    const { skill } = await readSkill(folder, root, cwd);
    const other = skills.get(skill.name);
    if (other !== undefined) {
      throw new ConfigError(`two skills are called "${skill.name}": ${other.folder} and ${skill.folder}`);
    }
    skills.set(skill.name, skill);
  }
  return [...skills.values()];
}

/**
 * The folders that an entry of `skills` stands for: of a pattern, all that have a SKILL.md.
 * @returns absolute, sorted
 * @throws {ConfigError} if there is none
 */
export async function foldersOf(written: string, root: string): Promise<string[]> {
  const path = skillFolder(written, root);
  if (!path.includes('*')) return [path];
  const [first = '', ...names] = path.split(sep);
  let folders = [`${first}${sep}`];
  for (const name of names) {
    const next = await Promise.all(folders.map(async (folder) => foldersFitting(name, folder)));
    folders = next.flat().slice(0, MAX_SKILLS * 10);
  }
  const skills = folders.filter((folder) => existsSync(join(folder, SKILL_FILE))).sort();
  if (skills.length === 0) throw new ConfigError(`no folder ${path} has a ${SKILL_FILE}`);
  return skills;
}

/** @returns paths of folders; hidden ones fit no pattern */
async function foldersFitting(name: string, folder: string): Promise<string[]> {
  if (!name.includes('*')) return [join(folder, name)];
  const fits = (entry: string) =>
    !entry.startsWith('.') && entry !== 'node_modules' && matchesStars(name, entry);
  const paths = (await entriesOf(folder)).filter(fits).map((entry) => join(folder, entry));
  // Links to folders are followed: where they lead to is looked at where that matters.
  return paths.filter((path) => existsSync(join(path, sep)));
}

/** @returns none where there is no such folder */
async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new ConfigError(`failed to read skills folder ${folder}: ${fileFault(error)}`, { cause: error });
  }
}

/**
 * Reads the SKILL.md in a folder.
 * @param folder absolute
 * @throws {ConfigError} with the place of the first fault
 */
export async function readSkill(folder: string, root: string, cwd: string): Promise<FoundSkill> {
  const { skill, errors, warnings } = await checkSkill(folder, root, cwd);
  if (skill === undefined || errors[0] !== undefined) throw new ConfigError(errors[0] ?? folder);
  return { skill, warnings };
}

/** The same with all faults. */
export async function checkSkill(
  folder: string,
  root: string,
  cwd: string,
): Promise<{ skill?: Skill; errors: string[]; warnings: string[] }> {
  const path = join(folder, SKILL_FILE);
  const shown = below(path, cwd);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(folder, path, shown);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { errors: [error.message], warnings: [] };
  }
  const text = new TextDecoder().decode(bytes);
  const { name, description, allowedTools, errors, warnings } = parseSkill(text, shown, basename(folder));
  if (errors.length > 0) return { errors, warnings };
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const skill = { name, description, folder: below(folder, root), ...defined({ allowedTools }), digest };
  return { skill, errors, warnings };
}

/** Links out of the skill's folder lead nowhere. */
async function readFile(folder: string, path: string, shown: string): Promise<Uint8Array> {
  const no = (reason: string, cause?: unknown) => new ConfigError(`${shown}:1:1: ${reason}`, { cause });
  try {
    const { bytes, size } = await openFolderWorkspace(folder).read(SKILL_FILE, { limit: MAX_BYTES });
    if (size <= MAX_BYTES) return bytes;
    throw no(`it has ${size} bytes, at most ${MAX_BYTES} are allowed: move parts of it to files beside it`);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    if (error.fault === 'missing') throw new ConfigError(`skill not found: ${path}`, { cause: error });
    if (error.fault === 'outside') throw no('it is a link that leads out of its folder', error);
    throw no(error.message, error);
  }
}

/** The path as it reads from a folder that it lies in; otherwise as it is. */
function below(path: string, folder: string): string {
  const way = wayIn(folder, path);
  return way === '' || !isInside(path, folder) ? path : way;
}
