import { callName, type CallKey } from '../records/call.ts';
import type { Opened } from '../records/opened.ts';
import type { OwnMemory } from '../tool-contracts/tool.ts';
import { toSaved } from './entry.ts';
import type { Memories } from './memories.ts';
import type { WordIndex } from './word-index.ts';

/** Only the newest of a memory are searched, so that no memory takes a search too long. */
const MOST_SEARCHED = 5_000;

export interface OwnMemoryPorts {
  memories: Memories;
  /** The one of this memory. */
  words: WordIndex;
}

/**
 * What an agent remembers, as the tools of one call reach it: the memory that its conversation was opened with, and so
 * that of its owner alone.
 * @param at the call; its turn's time is that of what it saves, so that a repetition saves the same entry
 */
export function openOwnMemory(
  { name, owner }: NonNullable<Opened['memoryTools']>,
  { run, answeredAt, ...call }: CallKey & { answeredAt: string },
  { memories, words }: OwnMemoryPorts,
): OwnMemory {
  const own = memories.of(owner);
  return {
    async search(query, limit) {
      const entries = await own.kept(name, MOST_SEARCHED);
      const worth = words.search(query, entries);
      const found = entries.filter(({ id }) => worth.has(id)).reverse();
      const of = ({ id }: { id: string }) => worth.get(id) ?? 0;
      return { entries: found.sort((one, other) => of(other) - of(one)).slice(0, limit) };
    },
    save: (text) => own.append(name, `${run}#${callName(call)}`, toSaved(answeredAt, text)),
    forget: (id) => own.forget(name, id),
  };
}
