import type { Memories } from '../../core/memory/memories.ts';

/** What agents remember would make a case depend on those before it. */
export const NO_MEMORIES: Memories = {
  of: () => NO_MEMORIES,
  entries: async () => [],
  kept: async () => [],
  append: async () => '',
  forget: async () => false,
  add: async () => 0,
  trim: async () => ({ removed: 0, kept: 0 }),
};
