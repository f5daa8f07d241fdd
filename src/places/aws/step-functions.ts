import {
  DescribeExecutionCommand,
  StartExecutionCommand,
  StopExecutionCommand,
  type DescribeExecutionOutput,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { askAws, fromAwsError, isAwsError } from './aws-errors.ts';
import { EXPRESS_SECONDS, isExpress } from '../../core/machine/express.ts';
import type { Instant } from '../../core/records/times.ts';
import { AlreadyStartedError, type ExecutionEnd, type Executions } from '../../core/machine/executions.ts';
import { defined } from '../../defined.ts';

export interface CloudExecutions extends Executions {
  /**
   * How the execution ended; undefined: it runs. Of an Express one, only its age tells that it has.
   * @param since as for `isRunning`
   */
  endOf(executionArn: string, since?: Instant): Promise<ExecutionEnd | undefined>;
}

/** Executions of a deployed machine. */
export function createStepFunctionsExecutions(client: SFNClient, stateMachineArn: string): CloudExecutions {
  async function endOf(executionArn: string, since?: Instant): Promise<ExecutionEnd | undefined> {
    if (isExpress(executionArn)) return isYoung(since) ? undefined : { status: 'TIMED_OUT' };
    const { status, error, cause } = await askAws(`describe execution ${executionArn}`, () =>
      client
        .send(new DescribeExecutionCommand({ executionArn }))
        .catch((thrown: unknown): Partial<DescribeExecutionOutput> => {
          if (!isAwsError(thrown, 'ExecutionDoesNotExist')) throw thrown;
          return isYoung(since) ? {} : { status: 'ABORTED' };
        }),
    );
    switch (status) {
      case 'SUCCEEDED':
      case 'FAILED':
      case 'TIMED_OUT':
      case 'ABORTED':
        return { status, ...defined({ error, cause }) };
      default:
        return undefined;
    }
  }

  return {
    async start(name, input) {
      const command = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
      const execution = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
      try {
        return (await client.send(command)).executionArn ?? execution;
      } catch (thrown) {
        if (!isAwsError(thrown, 'ExecutionAlreadyExists')) {
          throw await fromAwsError(thrown, `start execution "${name}" of ${stateMachineArn}`);
        }
        throw new AlreadyStartedError(`execution "${name}" was started before`, { cause: thrown, execution });
      }
    },

    endOf,
    isRunning: async (executionArn, since) => (await endOf(executionArn, since)) === undefined,

    async stop(executionArn, cause, since) {
      if (isExpress(executionArn)) return;
      // An ended execution stays ended. DescribeExecution is throttled no less than StopExecution.
      await askAws(`stop execution ${executionArn}`, () =>
        client.send(new StopExecutionCommand({ executionArn, cause })).catch((thrown: unknown) => {
          if (!isAwsError(thrown, 'ExecutionDoesNotExist') || isYoung(since)) throw thrown;
        }),
      );
    },
  };
}

/**
 * Whether an execution may be so new that Step Functions does not know it yet. Others that it does not know were forgotten
 * 90 days after their end, or went with their machine.
 */
function isYoung(since = -Infinity): boolean {
  return Date.now() - since < 1000 * EXPRESS_SECONDS;
}
