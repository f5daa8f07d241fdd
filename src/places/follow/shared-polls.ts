import { pollTree, type Look, type PollPorts } from './poll.ts';
import type { Top } from '../../core/events/records.ts';

/** Polls trees for any number of followers: however many follow one tree, it is read once per poll. */
export interface SharedPolls {
  /** The newest look, and each one after it, until the signal is aborted. */
  follow(top: Top, signal: AbortSignal): AsyncGenerator<Look>;
}

/** One tree that is looked at. */
interface Shared {
  followers: number;
  newest: { look: Look; number: number } | undefined;
  /** Set if there will be no further look. */
  fault: { thrown: unknown } | undefined;
  /** Wakes each follower that has seen the newest look. */
  waiting: Set<() => void>;
  stop: AbortController;
}

export function createSharedPolls(ports: PollPorts): SharedPolls {
  const polls = new Map<string, Shared>();

  function join(top: Top): Shared {
    const known = polls.get(top.id);
    if (known !== undefined) return known;
    const shared: Shared = {
      followers: 0,
      newest: undefined,
      fault: undefined,
      waiting: new Set(),
      stop: new AbortController(),
    };
    polls.set(top.id, shared);
    void poll(top, shared);
    return shared;
  }

  async function poll(top: Top, shared: Shared): Promise<void> {
    try {
      for await (const look of pollTree(top, ports, shared.stop.signal)) {
        shared.newest = { look, number: 1 + (shared.newest?.number ?? 0) };
        wake(shared);
      }
    } catch (thrown) {
      shared.fault = { thrown };
      leave(top, shared);
      wake(shared);
    }
  }

  function leave({ id }: Top, shared: Shared): void {
    shared.stop.abort();
    if (polls.get(id) === shared) polls.delete(id);
  }

  return {
    async *follow(top, signal) {
      const shared = join(top);
      shared.followers += 1;
      const onAbort = () => wake(shared);
      signal.addEventListener('abort', onAbort);
      let seen = 0;
      try {
        while (!signal.aborted) {
          if (shared.fault !== undefined) throw shared.fault.thrown;
          const { newest } = shared;
          if (newest !== undefined && newest.number > seen) {
            seen = newest.number;
            yield newest.look;
          } else {
            await new Promise<void>((resolve) => shared.waiting.add(resolve));
          }
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
        shared.followers -= 1;
        if (shared.followers === 0) leave(top, shared);
      }
    },
  };
}

function wake({ waiting }: Shared): void {
  for (const resolve of waiting) resolve();
  waiting.clear();
}
