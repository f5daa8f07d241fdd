import { ConfigError } from '../errors.ts';
import { AlreadyStartedError, type Executions } from '../executions/executions.ts';
import type { LocalPipeline } from './local-pipeline.ts';

/** Executions of a process that carries out many runs at once. */
export interface LockedExecutions extends Executions {
  /** Stops all that run, and waits until they are closed in the store. */
  stopAll(cause: string): Promise<void>;
}

/**
 * The pipeline's executions, each under the lock of its run until it has ended and is closed in the store, so that
 * other processes see that it is carried out and leave it alone.
 * @param report told of what goes wrong after an execution was started
 */
export function createLockedExecutions(
  { executions, locks, settled, store }: Pick<LocalPipeline, 'executions' | 'locks' | 'settled' | 'store'>,
  report: (thrown: unknown) => void,
): LockedExecutions {
  /** By name, the executions that have not ended, and their ends. */
  const running = new Map<string, { arn: Promise<string>; closed: Promise<void> }>();

  async function begin(name: string, input: Parameters<Executions['start']>[1]): Promise<string> {
    await take(name);
    try {
      // Another process may have carried it out from its beginning to its end since the caller last looked.
      if ((await store.run(name)) !== undefined)
        throw new AlreadyStartedError(`run "${name}" was started before`);
      return await executions.start(name, input);
    } catch (thrown) {
      await locks.release(name);
      throw thrown;
    }
  }

  async function take(name: string): Promise<void> {
    try {
      await locks.take(name);
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      throw new AlreadyStartedError(thrown.message, { cause: thrown });
    }
  }

  async function close(name: string, arn: Promise<string>): Promise<void> {
    try {
      await executions.wait(await arn);
      await settled();
    } finally {
      await locks.release(name);
    }
  }

  return {
    ...executions,

    start(name, input) {
      const known = running.get(name);
      if (known !== undefined) return known.arn;
      const arn = begin(name, input);
      const closed = arn.then(
        () => close(name, arn).catch(report),
        () => {}, // whoever starts it is told
      );
      running.set(name, { arn, closed: closed.finally(() => running.delete(name)) });
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
