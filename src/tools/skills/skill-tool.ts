import { messageOf } from '../../errors.ts';
import { nearestOrAll } from '../../nearest.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import type { OpenSkill, ToolArguments, ToolContext } from '../../core/tool-contracts/tool.ts';
import { textArgument } from '../typed-arguments.ts';

/** The name of a skill has 64 characters at most. */
const MAX_NAME = 200;

/** Folders and files that are no part of a skill, even where its folder is that of a whole project. */
export function isForeign(path: string): boolean {
  return /(^|\/)(\.|node_modules(\/|$)|__pycache__(\/|$))/.test(path);
}

/** The file with the description and the instructions of a skill. */
export const SKILL_FILE = 'SKILL.md';

export const NAME = { type: 'string', description: 'Name of the skill' } as const;

export function nameArgument(args: ToolArguments): string {
  return textArgument(args, 'name', MAX_NAME);
}

/**
 * The skill that a call names.
 * @throws {RefusedCall} if the conversation has no such skill
 */
export async function skillOf(
  args: ToolArguments,
  { skills }: Pick<ToolContext, 'skills'>,
): Promise<OpenSkill & { name: string }> {
  const name = nameArgument(args);
  const known = skills?.names ?? [];
  if (skills === undefined || !known.includes(name)) {
    throw new RefusedCall(`there is no skill ${JSON.stringify(name)}; ${nearestOrAll(name, known)}`);
  }
  try {
    return { name, ...(await skills.open(name)) };
  } catch (thrown) {
    throw new RefusedCall(`skill "${name}" cannot be read: ${messageOf(thrown)}`);
  }
}
