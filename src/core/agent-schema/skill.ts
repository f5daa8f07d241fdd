import { isAbsolute, join } from 'node:path';
import { ConfigError } from '../../errors.ts';
import type { AgentSource } from './agent-source.ts';

/**
 * The text of a skill without its front matter, which is for those who choose among skills; "" if none is wanted.
 * @param skill as written: an absolute path, a path relative to `root`, or the name of a folder in `root`'s skills/
 * @param root the agents' root, never the workdir
 * @throws {ConfigError} `skill not found: <resolved>`
 */
export async function loadSkill(skill: string, root: string, source: AgentSource): Promise<string> {
  if (skill.trim() === '') return '';
  const path = resolveSkill(skill, root);
  const text = await source.readSkill(path);
  if (text === undefined) throw new ConfigError(`skill not found: ${path}`);
  return splitFrontMatter(text).body;
}

/** The YAML between the two lines `---` that a SKILL.md may begin with, "" if there is none, and the text after it. */
export function splitFrontMatter(text: string): { frontMatter: string; body: string } {
  const found = /^\uFEFF?---[ \t]*\r?\n(?<yaml>(?:.*\r?\n)*?)---[ \t]*(?:\r?\n|$)(?:[ \t]*\r?\n)*/.exec(text);
  return { frontMatter: found?.groups?.['yaml'] ?? '', body: text.slice(found?.[0].length ?? 0) };
}

/** Whether a skill goes by the name of a folder in skills/. */
export function isSkillName(skill: string): boolean {
  return !isAbsolute(skill) && !/[/\\]/.test(skill);
}

/** @returns its path, absolute where `root` is */
export function resolveSkill(skill: string, root: string): string {
  if (isSkillName(skill)) return join(root, 'skills', skill, 'SKILL.md');
  return isAbsolute(skill) ? skill : join(root, skill);
}
