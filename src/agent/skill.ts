import { isAbsolute, join } from 'node:path';
import { ConfigError } from '../errors.ts';
import type { AgentSource } from './agent-source.ts';

/**
 * The text of a skill; "" if none is wanted.
 * @param skill as written: an absolute path, a path relative to `root`, or the name of a folder in `root`'s skills/
 * @param root the agents' root, never the workdir
 * @throws {ConfigError} `skill not found: <resolved>`
 */
export async function loadSkill(skill: string, root: string, source: AgentSource): Promise<string> {
  if (skill.trim() === '') return '';
  const path = resolveSkill(skill, root);
  const text = await source.readSkill(path);
  if (text === undefined) throw new ConfigError(`skill not found: ${path}`);
  return text;
}

function resolveSkill(skill: string, root: string): string {
  if (isAbsolute(skill)) return skill;
  return /[/\\]/.test(skill) ? join(root, skill) : join(root, 'skills', skill, 'SKILL.md');
}
