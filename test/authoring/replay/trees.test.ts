import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../fixtures/cases.ts';
import { byName, conversationOf, turnsOf } from '../../fixtures/conversation-trees.ts';
import { carryOutConversations, interruptions } from '../../fixtures/interrupted-trees.ts';
import { replayed } from '../../fixtures/replayed.ts';

test('any tree replays without a difference, however often it was broken off and resumed', async () => {
  await fc.assert(
    fc.asyncProperty(conversationOf(2), interruptions, async (tree, planned) => {
      const conversations = byName('top', tree);
      const { id, stage } = await carryOutConversations(conversations, planned);
      expect(await replayed(id, stage)).toEqual({
        runs: conversations.size,
        turns: turnsOf(tree),
        skipped: 0,
      });
    }),
    { numRuns: cases(8) },
  );
});
