import { ConfigError } from '../errors.ts';
import { AlreadyStartedError, type Executions } from '../executions/executions.ts';
import { holderOfExecution, runOfExecution, treeKey } from '../runs/run-id.ts';
import type { LocalPipeline } from './local-pipeline.ts';

/** Executions of a process that carries out many runs at once. */
export interface LockedExecutions extends Executions {
  /** Whether this process carries out anything of the tree with this run at its top. */
  carries(root: string): boolean;
  /** Waits until nothing of the run's tree runs here, all of it is closed in the store, and its lock is let go. */
  quiet(run: string): Promise<void>;
  /** Stops all that run, and waits until they are closed in the store. */
  stopAll(cause: string): Promise<void>;
}

/**
 * The pipeline's executions, each under the lock of its tree until all of the tree has ended and is closed in the store,
 * so that other processes see that it is carried out and leave it alone.
 * @param report told of what goes wrong after an execution was started
 */
export function createLockedExecutions(
  {
    executions,
    locks,
    quiet,
    settled,
    store,
  }: Pick<LocalPipeline, 'executions' | 'locks' | 'quiet' | 'settled' | 'store'>,
  report: (thrown: unknown) => void,
): LockedExecutions {
  /** By run, the execution that carries it and has not ended, and its end. */
  const running = new Map<string, { name: string; arn: Promise<string>; closed: Promise<void> }>();
  /** By the run at the top of a tree that this process holds, how many of its runs were started here. */
  const held = new Map<string, number>();

  async function begin(
    run: string,
    name: string,
    input: Parameters<Executions['start']>[1],
  ): Promise<string> {
    const root = await take(run);
    try {
      // Another process may have carried it on, and to its end, since the caller last looked.
      if (holderOfExecution(name) <= ((await store.run(run))?.holder ?? 0)) {
        throw new AlreadyStartedError(`execution "${name}" was started before`);
      }
      return await executions.start(name, input);
    } catch (thrown) {
      await release(root);
      throw thrown;
    }
  }

  /** @returns the tree that is held now */
  async function take(run: string): Promise<string> {
    const root = (await store.run(run))?.root ?? run;
    const count = held.get(root) ?? 0;
    held.set(root, count + 1);
    if (count > 0) return root;
    try {
      await locks.take(root);
      return root;
    } catch (thrown) {
      held.delete(root);
      if (!(thrown instanceof ConfigError)) throw thrown;
      throw new AlreadyStartedError(thrown.message, { cause: thrown });
    }
  }

  async function release(root: string): Promise<void> {
    const left = (held.get(root) ?? 1) - 1;
    if (left > 0) return void held.set(root, left);
    held.delete(root);
    await locks.release(root);
  }

  async function close(run: string, arn: Promise<string>): Promise<void> {
    try {
      await executions.wait(await arn);
      // Forks have executions of their own.
      await quiet(run);
      await settled();
    } finally {
      await release((await store.run(run))?.root ?? run);
    }
  }

  return {
    ...executions,

    start(name, input) {
      const run = runOfExecution(name);
      const known = running.get(run);
      if (known?.name === name) return known.arn;
      // A run that is resumed has ended; its lock is let go a little later.
      const arn = Promise.resolve(known?.closed).then(() => begin(run, name, input));
      const closed = arn
        .then(
          () => close(run, arn).catch(report),
          () => {}, // whoever starts it is told
        )
        .finally(() => running.get(run)?.name === name && running.delete(run));
      running.set(run, { name, arn, closed });
      return arn;
    },

    carries: (root) => held.has(root),

    async quiet(run) {
      const ofTree = () => [...running].filter(([other]) => treeKey(other) === treeKey(run));
      for (let left = ofTree(); left.length > 0; left = ofTree()) {
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
