import { expect, onTestFinished } from 'vitest';
import type { TreeEvent } from '../../../src/core/events/tree-event.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Environment } from '../../../src/places/environment.ts';
import { createFollow } from '../../../src/places/follow/follow.ts';
import { listed } from '../../core/events/harness.ts';
import { asKept, inOrder } from '../../core/events/in-order.ts';
import { latch } from '../../fixtures/stage.ts';

/**
 * Follows a tree from its beginning: live in an environment, and watched as a process does that carries nothing.
 * @param store the same records as the environment's
 * @returns what expects that both were told what is read afterwards, once all of it is over
 */
export function followTwice(
  id: string,
  environment: Pick<Environment, 'follow'>,
  store: RunStore,
): { expectSame(): Promise<void> } {
  const over = latch();
  const { signal } = new AbortController();
  const elsewhere = createFollow({ store, isCarriedOut: async () => true, pollMs: 1 });
  const followers = [environment, elsewhere].map(async ({ follow }) => {
    const events: TreeEvent[] = [];
    for await (const event of follow(id, { live: true, signal, until: over.opened })) events.push(event);
    return events;
  });
  onTestFinished(async () => {
    over.open();
    await Promise.allSettled(followers);
  });
  return {
    async expectSame() {
      over.open();
      const [live = [], watched = []] = await Promise.all(followers);
      const later = inOrder(asKept(await listed({ id, root: id, path: '' }, store)));
      expect(Object.keys(later).length).toBeGreaterThan(0);
      expect(inOrder(asKept(live))).toEqual(later);
      expect(inOrder(asKept(watched))).toEqual(later);
    },
  };
}
