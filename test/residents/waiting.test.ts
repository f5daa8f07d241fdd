import { expect, test } from 'vitest';
import { createMemoryTable } from '../../src/store/memory-table.ts';
import { call, use } from '../fixtures/stage.ts';
import { openPlay } from './play.ts';

test('an agent that waits for a sub-agent which nobody can write to goes on when that has answered', async () => {
  const play = await openPlay(createMemoryTable(), 1);
  const say = async (
    name: string,
    line: Parameters<NonNullable<ReturnType<typeof play.asked>>['say']>[0],
  ) => {
    play.asked((await play.runNamed(name)).id)?.say(line);
    await play.settle();
  };
  await say('top', { calls: [use('fork', { prompt: 'p', name: 'fork' })] });
  await say('top', { calls: [call('mute', 't')] });
  await say('fork', { calls: [use('wait', { timeout: 600, from_agents: ['mute'] })] });
  expect(play.asked((await play.runNamed('fork')).id)).toBeUndefined();
  await say('mute', { text: 'done' });
  expect(play.asked((await play.runNamed('fork')).id)).toBeDefined();
});
