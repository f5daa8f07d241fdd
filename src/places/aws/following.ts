import { pausedAt } from '../../core/records/clock.ts';
import { isIn, UNDER_WAY } from '../../core/records/phase.ts';
import type { RunStore } from '../../core/records/ports.ts';
import { isOverdue } from '../../core/records/run.ts';
import { onTreeClock, type Instant } from '../../core/records/times.ts';
import type { Environment } from '../environment.ts';
import type { CloudExecutions } from './step-functions.ts';

interface Ports {
  store: RunStore;
  executions: Pick<CloudExecutions, 'isRunning'>;
  now: () => Instant;
}

/** How trees in an account are followed: by their records. */
export function createFollowing(ports: Ports): Pick<Environment, 'follow' | 'look' | 'told'> & {
  records: RunStore & Pick<Environment['records'], 'isCarriedOut'>;
} {
  const { store } = ports;
  const isCarriedOut = (root: string) => isCarried(root, ports);

  /** Loaded with the first that follows a tree: functions start faster without it. */
  async function load() {
    const [{ createFollow }, { CLOUD_POLL_MS }] = await Promise.all([
      import('../follow/follow.ts'),
      import('../follow/view.ts'),
    ]);
    return createFollow({ store, isCarriedOut, pollMs: CLOUD_POLL_MS });
  }

  return {
    records: { ...store, isCarriedOut },
    async *follow(run, options) {
      yield* (await load()).follow(run, options);
    },
    told: async (run) => (await load()).told(run),
    async *look(run, signal) {
      yield* (await load()).look(run, signal);
    },
  };
}

/**
 * Whether the top of a tree is carried, mostly without asking Step Functions, which takes few requests: only for a run
 * whose time is over.
 */
async function isCarried(root: string, { store, executions, now }: Ports): Promise<boolean> {
  const top = await store.run(root);
  if (top === undefined || top.execution === '' || !isIn(UNDER_WAY, top)) return true;
  if (!isOverdue(top, onTreeClock(now(), 0))) return true;
  const time = onTreeClock(now(), pausedAt(await store.clock(root), now()));
  return !isOverdue(top, time) || executions.isRunning(top.execution);
}
