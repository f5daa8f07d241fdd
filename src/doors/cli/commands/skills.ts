import { dirname, join } from 'node:path';
import { parseDocument } from 'yaml';
import { assertName } from '../../../core/agent-schema/agent-name.ts';
import { splitFrontMatter } from '../../../core/agent-schema/skill.ts';
import { ConfigError } from '../../../errors.ts';
import { agentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import { readSkillFile, skillsIn } from '../../../authoring/loading/folders/skill-file.ts';
import type { AgentsOptions } from './agents.ts';
import type { Io } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';

/** `cadre skills list`: the skills beside the agents of the project and the user's own. */
export async function listSkills(options: AgentsOptions, io: Io): Promise<void> {
  const found = new Map<string, string>();
  for (const root of roots(options, io)) {
    for (const name of await skillsIn(root)) {
      const text = found.has(name) ? undefined : await readSkillFile(skillPath(root, name));
      if (text !== undefined) found.set(name, descriptionOf(text));
    }
  }
  if (found.size === 0) {
    const folders = roots(options, io).map((root) => join(root, 'skills'));
    io.stderr(`no skills in ${folders.join(' or ')}; a skill is a folder with a SKILL.md\n`);
  }
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

/** The folders above the agents folders: skills/ is beside agents/. */
function roots(options: AgentsOptions, io: Io): string[] {
  return agentFolders({ ...options, ...io }).map((folder) => dirname(folder));
}

function skillPath(root: string, name: string): string {
  return join(root, 'skills', name, 'SKILL.md');
}

/** The `description` of the front matter; "" where there is none, and where it is no YAML. */
function descriptionOf(text: string): string {
  const { frontMatter } = splitFrontMatter(text);
  if (frontMatter === '') return '';
  const description: unknown = parseDocument(frontMatter).get('description');
  return typeof description === 'string' ? description.trim() : '';
}
