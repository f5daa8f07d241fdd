import { AlreadyStartedError } from '../machine/executions.ts';
import type { Claim } from '../turn/hold.ts';
import type { Json } from '../../json.ts';
import { executionName } from '../records/run-id.ts';
import type { Run } from '../records/run.ts';
import type { StartingPorts } from './ports.ts';

/**
 * Starts the next execution of a run, skipping the names of executions that never carried the run.
 * @param inputOf its input, by its number
 * @returns the execution that carries the run from now on; or why nothing was started: another process was quicker
 */
export async function startNext(
  { id, holder: last }: Pick<Run, 'id' | 'holder'>,
  inputOf: (holder: number) => Json,
  executions: StartingPorts['executions'],
): Promise<Claim | { carried: AlreadyStartedError }> {
  for (let holder = last + 1; ; holder++) {
    try {
      return { holder, execution: await executions.start(executionName(id, holder), inputOf(holder)) };
    } catch (thrown) {
      if (!(thrown instanceof AlreadyStartedError)) throw thrown;
      const { execution } = thrown;
      // One that is not known yet has just begun.
      const isCarried = execution === undefined || (await executions.isRunning(execution, Infinity));
      if (isCarried) return { carried: thrown };
    }
  }
}
