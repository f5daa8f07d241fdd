import type { Agent } from '../agent-schema/agent.ts';
import { messageOf } from '../../errors.ts';
import { toMarkdown } from './markdown.ts';
import { memoryName, type Memories } from './memories.ts';

/** The memories that conversations are opened with. */
export interface RecalledMemories {
  of(owner: string | undefined): Pick<Memories, 'entries'>;
}

/**
 * The memory that an agent is shown: the last entries, as Markdown. "" if there is none, or if it cannot be read: then
 * there is a warning, and the agent works without.
 * @param agent the name that it runs as
 */
export async function recall(
  agent: string,
  memory: Agent['memory'],
  memories: Pick<Memories, 'entries'>,
  warn: (message: string) => void,
): Promise<string> {
  if (!memory.enabled) return '';
  try {
    return toMarkdown(await memories.entries(memoryName(agent, memory), memory.lastN));
  } catch (error) {
    warn(`failed to load memory for "${agent}": ${messageOf(error)}`);
    return '';
  }
}
