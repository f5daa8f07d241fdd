import { expect, test } from 'vitest';
import { stateLines, wayToEnd } from '../../../src/doors/cli/commands/rollout.ts';
import type { RolloutState } from '../../../src/places/store/rollout-share.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const state = (share: number, trees: { current: number; next: number }): RolloutState => ({
  current: { pack: 'agents@1', share: 1 - share, trees: trees.current },
  next: { pack: 'agents-next@2', share, trees: trees.next },
});

test.each([
  ['both get new trees', state(0.5, { current: 0, next: 0 }), []],
  [
    'trees still need the one that gets none',
    state(1, { current: 1, next: 9 }),
    ['agents@1 stays deployed until what is at work of it has ended: 1 tree'],
  ],
  [
    'the next one has proven itself',
    state(1, { current: 0, next: 9 }),
    [
      'no tree at work needs agents@1 any more; to end the rollout, put the files of agents-next in place of those of agents, take "rollout" out of cdk.json, and deploy',
    ],
  ],
  [
    'the next one was taken back',
    state(0, { current: 9, next: 0 }),
    [
      'no tree at work needs agents-next@2 any more; to end the rollout, take "rollout" out of cdk.json, and deploy',
    ],
  ],
])('how a rollout ends is said once it is decided: %s', (_, found, hints) => {
  expect(wayToEnd(found)).toEqual(hints);
});

test('both packs are shown with their shares, and who has set them', () => {
  const shown = state(0.1255, { current: 1, next: 1_200 });
  const lines = [
    'agents@1       87.45 % of new trees       1 tree at work',
    'agents-next@2  12.55 % of new trees  1,200 trees at work',
  ];
  expect(stateLines(shown, undefined)).toEqual(lines);
  const set = { by: 'ada\nb', at: '2026-01-01T00:00:00Z' };
  expect(stateLines({ ...shown, set }, 200)).toEqual([...lines, 'set by ada b, 2026-01-01T00:00:00Z']);
});

test.each([
  [['--next', '10'], 'It must be a share from 0 to 1, such as 0.1'],
  [['--next', ''], 'It must be a share from 0 to 1, such as 0.1'],
  [['--next', '0.1', '--back'], 'cannot be used with'],
  [['--promote', '--back'], 'cannot be used with'],
])('%j is refused', async (words, fault) => {
  const { code, err } = await typed(['rollout', '--env', 'dev', ...words], await tempFolder());
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(fault) });
});
