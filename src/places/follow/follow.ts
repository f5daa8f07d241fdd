import type { RunStore } from '../../core/records/ports.ts';
import type { Positions } from '../../core/events/positions.ts';
import { pollTree, type PollPorts } from './poll.ts';
import { createTreeReader, type Top } from '../../core/events/records.ts';
import { createTeller } from '../../core/events/tell.ts';
import type { ToldEvent } from '../../core/events/tree-event.ts';

export interface FollowOptions {
  /** What has been told before, which stays as it is; absent: nothing. */
  from?: Positions | undefined;
  /** Also what records never hold, as far as it can be heard here, and that somebody watches is noted for others. */
  live?: boolean | undefined;
  signal: AbortSignal;
  /**
   * When to stop by itself: once no run is under way, or nobody carries the tree out any more (`rest`); or once a
   * promise is settled and all that was in the store by then has been told. Absent: never.
   */
  until?: 'rest' | Promise<unknown> | undefined;
}

/** Tells what happens in trees, wherever they are carried out. */
export interface Follow {
  /** @param run with everything below it; may have no record yet, if it is the top of its tree */
  follow(run: string, options: FollowOptions): AsyncIterable<ToldEvent>;
  /** How far a run and everything below it have come, so that nothing of it is told again. */
  told(run: string): Promise<Positions>;
}

export function createFollow(ports: PollPorts): Follow {
  const { store } = ports;
  return {
    async *follow(run, { from, signal, until }) {
      const top = await topOf(run, store);
      const positions = from && copyOf(from);
      const teller = createTeller(top, positions);
      const closedBefore = teller.closedBy();
      const over = new AbortController();
      if (until instanceof Promise) void Promise.allSettled([until]).then(() => over.abort());
      const either = AbortSignal.any([signal, over.signal]);
      for await (const { records, isAbandoned } of pollTree(top, ports, either, positions)) {
        yield* teller.news(records);
        if (until === 'rest' && (isAbandoned || (teller.closedBy() ?? -1) > (closedBefore ?? -1))) return;
      }
      if (signal.aborted) return;
      const reader = createTreeReader(top, store, Date.now);
      await reader.read();
      yield* teller.news(reader.records);
    },
    told: async (run) => {
      const top = await topOf(run, store);
      const reader = createTreeReader(top, store, Date.now);
      await reader.read();
      const { news, positions } = createTeller(top);
      for (const _ of news(reader.records));
      return positions;
    },
  };
}

async function topOf(id: string, store: RunStore): Promise<Top> {
  const run = await store.run(id);
  return { id, root: run?.root ?? id, path: run?.path ?? '' };
}

function copyOf(positions: Positions): Positions {
  return new Map([...positions].map(([path, position]) => [path, { ...position }]));
}
