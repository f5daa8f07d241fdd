import type { OwnMemoryPorts } from '../core/memory/own-memory.ts';
import type { WordIndex } from '../core/memory/word-index.ts';
import type { CallKey } from '../core/records/call.ts';
import type { Opened } from '../core/records/opened.ts';
import type { OwnMemory, ToolContext } from '../core/tool-contracts/tool.ts';
import { RecentlyUsed } from './store/recently-used.ts';

/** The memories whose words this process keeps in memory; some megabytes each. */
const AT_HAND = 8;

/**
 * The memories that tools reach, as their conversations were opened with them. The search is loaded with the first one
 * that is used.
 */
export function ownMemories(
  ports: OwnMemoryPorts,
): (
  opened: Pick<Opened, 'memoryTools'>,
  at: CallKey & { answeredAt: string },
) => Pick<ToolContext, 'memory'> {
  const indexes = new RecentlyUsed<WordIndex>(2 * AT_HAND);
  return ({ memoryTools }, at) => {
    if (memoryTools === undefined) return {};
    const open = async (): Promise<OwnMemory> => {
      const [{ openOwnMemory }, { createWordIndex }] = await Promise.all([
        import('../core/memory/own-memory.ts'),
        import('../core/memory/word-index.ts'),
      ]);
      const key = JSON.stringify([memoryTools.owner, memoryTools.name]);
      const words = indexes.get(key) ?? createWordIndex();
      indexes.set(key, words, 1);
      return openOwnMemory(memoryTools, at, ports, words);
    };
    return {
      memory: {
        search: async (...asked) => (await open()).search(...asked),
        save: async (text) => (await open()).save(text),
        forget: async (id) => (await open()).forget(id),
      },
    };
  };
}
