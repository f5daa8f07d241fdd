import type { RunStore } from '../conversation/ports.ts';
import { toMessages } from '../conversation/turn.ts';
import type { Conversation } from './run-schemas.ts';

/** A run's conversation as it is at this moment; empty before it is opened. */
export async function conversationOf(id: string, runs: RunStore): Promise<Conversation> {
  const opened = await runs.opened(id);
  if (opened === undefined) return { system: '', messages: [] };
  return { system: opened.system, messages: toMessages(opened, await runs.turns(id), []) };
}
