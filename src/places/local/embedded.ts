import { ConfigError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { StatesApiError, type StatesApiErrorName } from '../../asl/executions/errors.ts';
import type { StateMachines } from '../../asl/state-machines.ts';
import type { Wake } from '../../core/machine/wake.ts';
import { AlreadyStartedError, type ExecutionEnd, type Executions } from '../../core/machine/executions.ts';
import { defined } from '../../defined.ts';

/** Executions in this process. */
export interface LocalExecutions extends Executions {
  /** Waits until the execution has ended. */
  wait(executionArn: string): Promise<ExecutionEnd>;
}

/** Executions of one machine of the embedded interpreter. Those that these have started are looked at and stopped, too. */
export function createEmbeddedExecutions(machines: StateMachines, stateMachineArn: string): LocalExecutions {
  const isKnown = (executionArn: string) =>
    machines
      .listStateMachines()
      .some((machine) =>
        machines.listExecutions(machine).some((known) => known.executionArn === executionArn),
      );

  return {
    async start(name: string, input: Json) {
      try {
        return machines.startExecution({ stateMachineArn, name, input }).executionArn;
      } catch (thrown) {
        if (!isStatesError(thrown, 'ExecutionAlreadyExists')) throw thrown;
        const known = machines.listExecutions({ stateMachineArn }).find((one) => one.name === name);
        throw new AlreadyStartedError(`execution "${name}" was started before`, {
          cause: thrown,
          ...(known !== undefined && { execution: known.executionArn }),
        });
      }
    },

    async isRunning(executionArn) {
      return isKnown(executionArn) && machines.describeExecution(executionArn).status === 'RUNNING';
    },

    async wait(executionArn) {
      const { status, error, cause } = await machines.ended(executionArn);
      return { status, ...defined({ error, cause }) };
    },

    async stop(executionArn, cause) {
      try {
        machines.stopExecution({ executionArn, cause });
      } catch (thrown) {
        if (!isStatesError(thrown, 'ExecutionDoesNotExist')) throw thrown;
        throw new ConfigError('the run is not running in this process; stop it where it was started', {
          cause: thrown,
        });
      }
    },
  };
}

/** Wakes states of the embedded interpreter. */
export function createEmbeddedWake(machines: StateMachines): Wake {
  return async (taskToken, output = {}) => {
    try {
      machines.sendTaskSuccess({ taskToken, output });
    } catch (thrown) {
      if (!isStatesError(thrown, 'TaskTimedOut') && !isStatesError(thrown, 'InvalidToken')) throw thrown;
    }
  };
}

function isStatesError(thrown: unknown, name: StatesApiErrorName): boolean {
  return thrown instanceof StatesApiError && thrown.name === name;
}
