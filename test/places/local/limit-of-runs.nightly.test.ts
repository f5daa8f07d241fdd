import { expect, test } from 'vitest';
import { call, openStage, type Role } from '../../fixtures/stage.ts';

test('a tree of agents that call themselves ends at its limit of runs, in words for those that ask for more', async () => {
  let refused = 0;
  const again: Role = ({ turn, results }) => {
    refused += results.filter((result) =>
      result.includes('the tree has reached its 1000 sub-agent runs'),
    ).length;
    return turn === 1 ? Array.from({ length: 40 }, () => call('top', 'again')) : 'enough';
  };
  const stage = await openStage(
    { top: again },
    { top: `sub_agents = ["top"]\n[sub_agents_config]\nmax_depth = 2\n` },
  );
  const ended = await stage.run();
  expect(ended).toMatchObject({ code: 0, out: 'enough' });
  expect(ended.tree).toHaveLength(1001);
  expect(refused).toBe(40 * 40 + 40 - 1000);
});
