import { possibleMemories } from '../agent-schema/system-prompt.ts';
import { ConfigError } from '../../errors.ts';
import type { Opened } from '../records/opened.ts';
import type { MemoryEntry } from './entry.ts';
import { fromMarkdown } from './markdown.ts';

/** The memory that a run was shown when it was opened, and its system prompt without that. */
export function shownMemory({ memory, system }: Pick<Opened, 'memory' | 'system'>): {
  entries: MemoryEntry[];
  others: string;
} {
  for (const { at, text } of memory === undefined ? [] : possibleMemories(system)) {
    const entries = entriesIn(text);
    if (entries.length > 0) return { entries, others: system.slice(0, at) };
  }
  return { entries: [], others: system };
}

function entriesIn(text: string): MemoryEntry[] {
  try {
    return fromMarkdown(text);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return [];
    throw thrown;
  }
}
