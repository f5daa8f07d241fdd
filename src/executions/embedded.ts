import { ConfigError } from '../errors.ts';
import type { Json } from '../json.ts';
import { StatesApiError } from '../asl/api-errors.ts';
import type { StateMachines } from '../asl/state-machines.ts';
import type { Executions } from './executions.ts';

/** Executions of one machine of the embedded interpreter. */
export function createEmbeddedExecutions(machines: StateMachines, stateMachineArn: string): Executions {
  const isKnown = (executionArn: string) =>
    machines.listExecutions({ stateMachineArn }).some((known) => known.executionArn === executionArn);

  return {
    async start(name: string, input: Json) {
      return machines.startExecution({ stateMachineArn, name, input }).executionArn;
    },

    async isRunning(executionArn) {
      return isKnown(executionArn) && machines.describeExecution(executionArn).status === 'RUNNING';
    },

    async wait(executionArn) {
      const { status, output, error, cause } = await machines.ended(executionArn);
      if (status === 'RUNNING') throw new TypeError(`execution ${executionArn} ended while it runs`);
      return {
        status,
        ...(output !== undefined && { output }),
        ...(error !== undefined && { error }),
        ...(cause !== undefined && { cause }),
      };
    },

    async stop(executionArn, cause) {
      try {
        machines.stopExecution({ executionArn, cause });
      } catch (thrown) {
        if (!(thrown instanceof StatesApiError) || thrown.name !== 'ExecutionDoesNotExist') throw thrown;
        throw new ConfigError('this process does not carry the run out; stop it where it was started', {
          cause: thrown,
        });
      }
    },
  };
}
