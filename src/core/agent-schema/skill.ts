import { dirname, isAbsolute, join } from 'node:path';
import { ConfigError } from '../../errors.ts';
import type { OpenedSkill } from '../records/opened.ts';
import type { AgentSource } from './agent-source.ts';

/**
 * The text of a skill without its front matter, which only serves to choose among skills; "" if no skill is named.
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

/** A skill that an agent may load, as its catalogue has it. */
export interface Skill extends OpenedSkill {
  /** In one line. */
  description: string;
  /** Of its SKILL.md: 12 hexadecimal digits. */
  digest: string;
}

/** The skills that an agent may load, as they are shown to its model; "" for none. */
export function catalogueOf(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  return [
    'Instructions for certain kinds of work. Before you begin such work, load them with use_skill.\n',
    ...skills.map(({ name, description }) => `- ${name}: ${description}`),
  ].join('\n');
}

/** The folder of a skill, or of all that a pattern with `*` fits; absolute where `root` is. */
export function skillFolder(written: string, root: string): string {
  return dirname(resolveSkill(isSkillName(written) ? written : join(written, 'SKILL.md'), root));
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
