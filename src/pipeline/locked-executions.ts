import { ConfigError } from '../errors.ts';
import { AlreadyStartedError, type Executions } from '../executions/executions.ts';
import { holderOfExecution, runOfExecution } from '../runs/run-id.ts';
import type { LocalPipeline } from './local-pipeline.ts';

/** Executions of a process that carries out many runs at once. */
export interface LockedExecutions extends Executions {
  /** Stops all that run, and waits until they are closed in the store. */
  stopAll(cause: string): Promise<void>;
}

/**
 * The pipeline's executions, each under the lock of its run until it has ended and is closed in the store, so that
 * other processes see that the run is carried out and leave it alone.
 * @param report told of what goes wrong after an execution was started
 */
export function createLockedExecutions(
  { executions, locks, settled, store }: Pick<LocalPipeline, 'executions' | 'locks' | 'settled' | 'store'>,
  report: (thrown: unknown) => void,
): LockedExecutions {
  /** By run, the execution that carries it and has not ended, and its end. */
  const running = new Map<string, { name: string; arn: Promise<string>; closed: Promise<void> }>();

  async function begin(
    run: string,
    name: string,
    input: Parameters<Executions['start']>[1],
  ): Promise<string> {
    await take(run);
    try {
      // Another process may have carried it on, and to its end, since the caller last looked.
      if (holderOfExecution(name) <= ((await store.run(run))?.holder ?? 0)) {
        throw new AlreadyStartedError(`execution "${name}" was started before`);
      }
      return await executions.start(name, input);
    } catch (thrown) {
      await locks.release(run);
      throw thrown;
    }
  }

  async function take(run: string): Promise<void> {
    try {
      await locks.take(run);
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      throw new AlreadyStartedError(thrown.message, { cause: thrown });
    }
  }

  async function close(run: string, arn: Promise<string>): Promise<void> {
    try {
      await executions.wait(await arn);
      await settled();
    } finally {
      await locks.release(run);
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
