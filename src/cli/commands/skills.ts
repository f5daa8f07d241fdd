import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertName } from '../../agent/agent-name.ts';
import { ConfigError } from '../../errors.ts';
import { agentFolders } from '../../workspace/agent-folders.ts';
import { fileFault, isMissing } from '../../workspace/file-fault.ts';
import { readSkillFile } from '../../workspace/skill-file.ts';
import type { AgentsOptions } from './agents.ts';
import type { Io } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';

/** `cadre skills list`: the skills beside the agents of the project and the user's own. */
export async function listSkills(options: AgentsOptions, io: Io): Promise<void> {
  const found = new Map<string, string>();
  for (const folder of skillFolders(options, io)) {
    for (const name of await foldersIn(folder)) {
      const text = found.has(name) ? undefined : await readSkillFile(join(folder, name, 'SKILL.md'));
      if (text !== undefined) found.set(name, descriptionOf(text));
    }
  }
  for (const [name, description] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
    io.stdout(description === '' ? `${name}\n` : `${name} - ${oneLine(description)}\n`);
  }
}

/** `cadre skills show <skill>`: the text of its SKILL.md. */
export async function showSkill(name: string, options: AgentsOptions, io: Io): Promise<void> {
  assertName('skill', name);
  const paths = skillFolders(options, io).map((folder) => join(folder, name, 'SKILL.md'));
  for (const path of paths) {
    const text = await readSkillFile(path);
    if (text !== undefined) return io.stdout(text);
  }
  throw new ConfigError(`skill not found: ${paths[0]}`);
}

function skillFolders(options: AgentsOptions, io: Io): string[] {
  return agentFolders({ ...options, ...io }).map((folder) => join(dirname(folder), 'skills'));
}

async function foldersIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => entry.name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new ConfigError(`failed to read skills folder ${folder}: ${fileFault(error)}`, { cause: error });
  }
}

/** The one-line `description` of the front matter, where there is one. */
function descriptionOf(text: string): string {
  const [, frontMatter = ''] = /^---\r?\n(.*?)\r?\n---/s.exec(text) ?? [];
  const [, description = ''] = /^description:[ \t]*(?![\s>|])([^\r\n]*)/m.exec(frontMatter) ?? [];
  return description.trim().replace(/^(["'])(.*)\1$/, '$2');
}
