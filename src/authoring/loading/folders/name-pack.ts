import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { LoadedAgent } from '../../../core/agent-schema/agent-source.ts';
import { packName } from '../../../core/agent-schema/packs.ts';
import { resolveSkill } from '../../../core/agent-schema/skill.ts';
import { readSkillFile } from './skill-file.ts';

/**
 * The name of a pack of agents. The digest in it is the same for the same agents in whatever folder they lie, so that a
 * tree finds its own once they have moved.
 */
export async function namePack(folder: string, agents: ReadonlyMap<string, LoadedAgent>): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, { agent, root, skills = [] }] of agents) {
    const skill = agent.skill === '' ? '' : await readSkillFile(resolveSkill(agent.skill, root));
    hash.update(JSON.stringify([name, agent, skill, skills.map(({ digest }) => digest)]));
  }
  return packName(basename(folder), hash.digest('hex').slice(0, 12));
}
