import { expect, test } from 'vitest';
import { createFollow } from '../../../src/places/follow/follow.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { latch, openStage } from '../../fixtures/stage.ts';
import { openRun } from '../events/harness.ts';

test('a turn that nobody watched as it began is followed word by word from another process', async () => {
  const [hasBegun, goesOn] = [latch(), latch()];
  const stage = await openStage({
    async top({ onDelta }) {
      onDelta?.({ type: 'text', text: 'first ' });
      hasBegun.open();
      await goesOn.opened;
      return 'first and last';
    },
  });
  const { top, store, run } = await openRun(stage);
  const told: string[] = [];
  await inHeldTime(async () => {
    const running = run();
    await hasBegun.opened;
    const { follow } = createFollow({ store, isCarriedOut: async () => true, pollMs: 1 });
    const signal = new AbortController().signal;
    for await (const { event } of follow(top.id, { live: true, signal, until: 'rest' })) {
      told.push(event.type === 'message_delta' ? event.text : event.type);
      if (event.type === 'message_delta') goesOn.open();
    }
    await running;
  }, 1);
  expect(told).toEqual(['run_opened', 'turn_started', 'first ', 'turn_finished', 'run_closed']);
});
