import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../fixtures/cases.ts';
import { byName, conversationOf, nameOf, turnsOf } from '../fixtures/conversation-trees.ts';
import { carryOut, interruptions } from '../fixtures/interrupted-trees.ts';
import { replayed } from '../fixtures/replayed.ts';
import { call } from '../fixtures/stage.ts';

const AGENT = 'sub_agents = ["top"]\n[sub_agents_config]\nmax_depth = 3\n';

test('any tree replays without a difference, however often it was broken off and resumed', async () => {
  await fc.assert(
    fc.asyncProperty(conversationOf(2), interruptions, async (tree, planned) => {
      const conversations = byName('top', tree);
      const { id, stage } = await carryOut(AGENT, planned, (name, { turn, results }) => {
        const children = conversations.get(name)?.turns[turn - 1];
        if (children === undefined) return `${name}(${results.join()})`;
        return children.map((_, index) => call('top', nameOf(name, turn, index)));
      });
      expect(await replayed(id, stage)).toEqual({
        runs: conversations.size,
        turns: turnsOf(tree),
        skipped: 0,
      });
    }),
    { numRuns: cases(8) },
  );
});
