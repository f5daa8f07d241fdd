import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { ConfigError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { deleteItems, type Item, type Table } from '../store/table.ts';
import { livePid, processName } from './process-name.ts';

/** The purpose for which a process holds a run. Only one that carries it out can be asked to stop it. */
export type Purpose = 'carry out' | 'close' | 'delete';

/** A live process that has taken a run. */
export interface LockOwner {
  pid: number;
  purpose: Purpose;
}

/** A live process has taken the run already. */
export class CarriedError extends ConfigError {
  /** Undefined: it is not known. */
  readonly purpose: Purpose | undefined;

  constructor(message: string, purpose?: Purpose) {
    super(message);
    this.purpose = purpose;
  }
}

/** How often, and after how long, work is tried again whose run is being closed. */
const CLOSING_TRIES = 100;
const CLOSING_MS = 50;

/**
 * Does work that takes a run. It is put off while another process closes something: that one is about to let go of it,
 * and looks for nothing that others leave to it.
 * @returns the fault if a live process has taken the run for which this needs the lock
 */
export async function unlessCarried<T>(
  work: () => Promise<T>,
): Promise<{ done: T; fault?: never } | { done?: never; fault: CarriedError }> {
  for (let tries = 0; ; tries++) {
    try {
      return { done: await work() };
    } catch (thrown) {
      if (!(thrown instanceof CarriedError)) throw thrown;
      if (thrown.purpose !== 'close' || tries === CLOSING_TRIES) return { fault: thrown };
    }
    await delay(CLOSING_MS);
  }
}

/**
 * Which process has taken a run on this machine, and for what, so that a run is not resumed while it still runs (which
 * would pay its turns twice) and a run whose process died can be told from one that works.
 */
export interface RunLocks {
  /** @throws {CarriedError} if a live process has taken the run already */
  take(run: string, purpose?: Purpose): Promise<void>;
  release(...runs: readonly string[]): Promise<void>;
  isTaken(run: string): Promise<boolean>;
  owner(run: string): Promise<LockOwner | undefined>;
  /** The runs that a process carried out last, and did not let go of before it ended. @param process its name */
  leftBy(process: string): Promise<string[]>;
  /** The runs that any process had taken, for whatever purpose, when it died. */
  left(): Promise<string[]>;
}

const PARTITION = 'running';

export function createRunLocks(table: Table): RunLocks {
  const key = (run: string) => ({ partition: PARTITION, sort: run });
  const own = processName(process.pid) ?? String(process.pid);
  /** Those whose release has failed, as on a full disk. As long as this process lives, nobody else takes them. */
  const unreleased = new Set<string>();

  async function release(...runs: readonly string[]): Promise<void> {
    const all = new Set([...unreleased, ...runs]);
    unreleased.clear();
    try {
      await deleteItems([...all].map(key), table);
    } catch (thrown) {
      for (const run of all) unreleased.add(run);
      throw thrown;
    }
  }

  /** It is tried again if that fails once more. */
  const releaseLeft = () => release().catch(() => {});

  async function owner(run: string): Promise<LockOwner | undefined> {
    if (unreleased.size > 0) await releaseLeft();
    return toOwner(await table.get(key(run)));
  }

  return {
    async take(run, purpose = 'carry out') {
      if (unreleased.size > 0) await releaseLeft();
      const value: Json = purpose === 'carry out' ? own : { process: own, purpose };
      const { written, item } = await table.putIfAbsent(key(run), value);
      const present = written ? undefined : toOwner(item);
      if (present !== undefined)
        throw new CarriedError(`run "${run}" is ${refusal(present)}`, present.purpose);
      // One of the processes that find a dead process's lock at the same time takes it over.
      if (!written && (await table.putIfVersion(key(run), value, item.version)) === undefined) {
        throw new CarriedError(`run "${run}" is being started by another process; see: cadre runs`);
      }
    },
    release,
    isTaken: async (run) => (await owner(run)) !== undefined,
    owner,
    async leftBy(process) {
      const runs: string[] = [];
      for await (const { key: at, value } of table.query(PARTITION, '')) {
        if (value === process) runs.push(at.sort);
      }
      return runs;
    },
    async left() {
      const runs: string[] = [];
      for await (const item of table.query(PARTITION, '')) {
        if (toOwner(item) === undefined) runs.push(item.key.sort);
      }
      return runs;
    },
  };
}

/** The name of a process that carries the run out, or one that holds it for something shorter. */
const Kept = v.union([
  v.pipe(
    v.string(),
    v.transform((process) => ({ process, purpose: 'carry out' as const })),
  ),
  v.object({ process: v.string(), purpose: v.picklist(['close', 'delete']) }),
]);

/** A number alone does not do: the system gives it to another process once its own has died. */
function toOwner(item: Item | undefined): LockOwner | undefined {
  const kept = v.safeParse(Kept, item?.value);
  const pid = kept.success ? livePid(kept.output.process) : undefined;
  return kept.success && pid !== undefined ? { pid, purpose: kept.output.purpose } : undefined;
}

function refusal({ pid, purpose }: LockOwner): string {
  if (purpose === 'carry out') {
    return `running in process ${pid}; wait for it, or stop it first`;
  }
  return `being ${{ close: 'closed', delete: 'deleted' }[purpose]} by process ${pid}; see: cadre runs`;
}
