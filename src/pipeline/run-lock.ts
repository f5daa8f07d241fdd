import { ConfigError } from '../errors.ts';
import type { Item, Table } from '../store/table.ts';
import { livePid, processName } from './process-name.ts';

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
  const key = (run: string) => ({ partition: 'running', sort: run });
  const own = processName(process.pid) ?? String(process.pid);

  return {
    async take(run) {
      const { written, item } = await table.putIfAbsent(key(run), own);
      const holder = written ? undefined : liveHolder(item);
      if (holder !== undefined) {
        throw new ConfigError(`run "${run}" is running in process ${holder}; wait for it, or stop it first`);
      }
      // What a dead process left behind is taken over, by one of those that find it at the same time.
      if (!written && (await table.putIfVersion(key(run), own, item.version)) === undefined) {
        throw new ConfigError(`run "${run}" is being started by another process; see: cadre runs`);
      }
    },
    release: (run) => table.delete(key(run)),
    isHeld: async (run) => liveHolder(await table.get(key(run))) !== undefined,
    holder: async (run) => liveHolder(await table.get(key(run))),
  };
}

/** A number alone does not do: the system gives it to somebody else once its process has died. */
function liveHolder(item: Item | undefined): number | undefined {
  return typeof item?.value === 'string' ? livePid(item.value) : undefined;
}
