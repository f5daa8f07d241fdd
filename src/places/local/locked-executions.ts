import { AlreadyStartedError } from '../../core/machine/executions.ts';
import type { Json } from '../../json.ts';
import type { LocalExecutions } from './embedded.ts';
import { holderOfExecution, isOfTree, runOfExecution } from '../../core/records/run-id.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { CarriedTrees } from './carried-trees.ts';
import { CarriedError } from './run-lock.ts';

/** Executions of a process that carries out many runs at once. */
export interface LockedExecutions extends LocalExecutions {
  /**
   * Does work that begins a tree under its lock.
   * @throws {AlreadyStartedError} if another process carries it out
   */
  hold<T>(root: string, work: () => Promise<T>): Promise<T>;
  /** Whether this process carries out anything of the tree with this run at its top. */
  carries(root: string): boolean;
  /** Waits until nothing of the run's tree runs here, all of it is closed in the store, and its lock is let go. */
  quiet(run: string): Promise<void>;
  /** Stops all that run, and waits until they are closed in the store. */
  stopAll(cause: string): Promise<void>;
}

export interface LockedExecutionsPorts {
  executions: LocalExecutions;
  store: RunStore;
  trees: CarriedTrees;
  /** @throws what has failed beside the executions, once */
  settled(): Promise<void>;
}

/**
 * The pipeline's executions, each under the lock of its tree until all of the tree has ended and is closed in the
 * store, so that other processes see that it is carried out and leave it alone.
 * @param report called with failures after an execution was started
 */
export function createLockedExecutions(
  { executions, store, trees, settled }: LockedExecutionsPorts,
  report: (thrown: unknown) => void,
): LockedExecutions {
  /** By name, the executions that have not ended, and their ends. */
  const running = new Map<string, { arn: Promise<string>; closed: Promise<void> }>();

  async function take(root: string): Promise<void> {
    try {
      await trees.take(root);
    } catch (thrown) {
      if (!(thrown instanceof CarriedError)) throw thrown;
      throw new AlreadyStartedError(thrown.message, { cause: thrown });
    }
  }

  async function begin(root: string, name: string, input: Json): Promise<string> {
    await take(root);
    try {
      // Another process may have carried it on, and to its end, since the caller last looked.
      if (holderOfExecution(name) <= ((await store.run(runOfExecution(name)))?.holder ?? 0)) {
        throw new AlreadyStartedError(`execution "${name}" was started before`);
      }
      return await executions.start(name, input);
    } catch (thrown) {
      await trees.letGo(root);
      throw thrown;
    }
  }

  async function close(root: string, arn: string): Promise<void> {
    try {
      await executions.wait(arn);
    } finally {
      await trees.letGo(root);
    }
    await settled();
  }

  const ofTree = (run: string) => [...running].filter(([name]) => isOfTree(name, run));

  return {
    ...executions,

    async hold(root, work) {
      await take(root);
      try {
        return await work();
      } catch (thrown) {
        // Nobody would find what was kept for it once the lock is gone.
        const hasBegun = ofTree(root).length > 0 || (await store.run(root)) !== undefined;
        if (!hasBegun) await store.deleteTrees([root]).catch(() => {});
        throw thrown;
      } finally {
        await trees.letGo(root);
      }
    },

    start(name, input) {
      const known = running.get(name);
      if (known !== undefined) return known.arn;
      const run = runOfExecution(name);
      const root = store.run(run).then((record) => record?.root ?? run);
      const arn = root.then((top) => begin(top, name, input));
      const closed = Promise.all([root, arn])
        .then(
          (begun) => close(...begun).catch(report),
          () => {}, // the caller that starts it gets the error
        )
        .finally(() => running.delete(name));
      running.set(name, { arn, closed });
      return arn;
    },

    carries: (root) => ofTree(root).length > 0,

    async quiet(run) {
      for (let left = ofTree(run); left.length > 0; left = ofTree(run)) {
        await Promise.all(left.map(([, { closed }]) => closed));
      }
    },

    async stopAll(cause) {
      await Promise.all(
        [...running.values()].map(async ({ arn, closed }) => {
          await executions.stop(await arn, cause);
          await closed;
        }),
      );
    },
  };
}
