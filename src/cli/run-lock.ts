import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../errors.ts';

/**
 * Which process carries out a run on this machine, so that a run is not resumed while it still runs (which would pay
 * its turns twice) and a run whose process died can be told from one that works.
 */
export interface RunLocks {
  /** @throws {ConfigError} if a live process carries the run out already */
  take(run: string): Promise<void>;
  release(run: string): Promise<void>;
  isHeld(run: string): Promise<boolean>;
}

/** @param folder `.cadre/`: one file for each run that is carried out, with the process's number in it */
export function createRunLocks(folder: string): RunLocks {
  const file = (run: string) => join(folder, 'running', run);
  /** By this process: a container gives its main process the same number each time that it starts. */
  const taken = new Set<string>();

  async function holder(run: string): Promise<number | undefined> {
    const text = await readFile(file(run), 'utf8').catch(() => '');
    const pid = Number(text);
    if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
    return (pid === process.pid ? taken.has(run) : isAlive(pid)) ? pid : undefined;
  }

  return {
    async take(run) {
      const pid = await holder(run);
      if (pid !== undefined) {
        throw new ConfigError(
          `run "${run}" is being carried out by process ${pid}; wait for it, or stop it first`,
        );
      }
      await mkdir(join(folder, 'running'), { recursive: true });
      // What a dead process left behind goes first; of two processes that come at once only one can make the file.
      await rm(file(run), { force: true });
      const handle = await open(file(run), 'wx').catch(() => {
        throw new ConfigError(`run "${run}" is just being taken up by another process; see: cadre runs`);
      });
      await handle.writeFile(String(process.pid));
      await handle.close();
      taken.add(run);
    },
    async release(run) {
      taken.delete(run);
      await rm(file(run), { force: true });
    },
    isHeld: async (run) => (await holder(run)) !== undefined,
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
