import { expect, onTestFinished } from 'vitest';
import { isLive } from '../../../src/core/events/live.ts';
import type { TreeEvent } from '../../../src/core/events/tree-event.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Environment } from '../../../src/places/environment.ts';
import { createFollow } from '../../../src/places/follow/follow.ts';
import { inOrder, listed } from '../../core/events/harness.ts';
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

/**
 * Of what was told several times, what records keep: the first opening of a run, and the last of everything else. When a
 * turn began is kept with its answer alone, and a turn that was broken off may have begun before.
 */
function asKept(events: readonly TreeEvent[]): TreeEvent[] {
  const isFirst = ({ type }: TreeEvent['event']) => type === 'run_opened' || type === 'question_asked';
  const nameOf = ({ event }: TreeEvent) => {
    const { run, type } = event;
    return [run, type, 'turn' in event ? event.turn : '', 'call' in event ? event.call : ''].join(' ');
  };
  const kept = events.filter((told, index) => {
    if (isLive(told.event)) return false;
    const others = isFirst(told.event) ? events.slice(0, index) : events.slice(index + 1);
    return !others.some((other) => nameOf(other) === nameOf(told));
  });
  return kept.map((told) => (told.event.type === 'turn_started' ? { ...told, at: 0 } : told));
}
