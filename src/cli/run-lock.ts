import { ConfigError } from '../errors.ts';
import type { Item, Table } from '../store/table.ts';

/**
 * Which process carries out a run on this machine, so that a run is not resumed while it still runs (which would pay
 * its turns twice) and a run whose process died can be told from one that works.
 */
export interface RunLocks {
  /** @throws {ConfigError} if a live process carries the run out already */
  take(run: string): Promise<void>;
  release(run: string): Promise<void>;
  isHeld(run: string): Promise<boolean>;
  /** The process that carries the run out, if there is one. */
  holder(run: string): Promise<number | undefined>;
}

export function createRunLocks(table: Table): RunLocks {
  /** By this process: a container gives its main process the same number each time that it starts. */
  const taken = new Set<string>();
  const key = (run: string) => ({ partition: 'running', sort: run });

  function liveHolder(run: string, item: Item | undefined): number | undefined {
    const pid = item?.value;
    if (typeof pid !== 'number') return undefined;
    return (pid === process.pid ? taken.has(run) : isAlive(pid)) ? pid : undefined;
  }

  return {
    async take(run) {
      const { written, item } = await table.putIfAbsent(key(run), process.pid);
      const holder = written ? undefined : liveHolder(run, item);
      if (holder !== undefined) {
        throw new ConfigError(
          `run "${run}" is being carried out by process ${holder}; wait for it, or stop it first`,
        );
      }
      // What a dead process left behind is taken over, by one of those that find it at the same time.
      if (!written && (await table.putIfVersion(key(run), process.pid, item.version)) === undefined) {
        throw new ConfigError(`run "${run}" is just being taken up by another process; see: cadre runs`);
      }
      taken.add(run);
    },
    async release(run) {
      taken.delete(run);
      await table.delete(key(run));
    },
    isHeld: async (run) => liveHolder(run, await table.get(key(run))) !== undefined,
    holder: async (run) => liveHolder(run, await table.get(key(run))),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // A process of another user cannot be signalled, but it is there.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
