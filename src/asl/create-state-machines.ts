import { describe, renderEvent } from './executions/descriptions.ts';
import { StatesApiError } from './executions/errors.ts';
import type { ExecutionHost } from './executions/execution.ts';
import { systemClock } from './executions/ports.ts';
import { TaskTokens } from './executions/task-tokens.ts';
import { copyJson, fitsDataLimit, MAX_DATA_BYTES } from './expressions/json-value.ts';
import { createStartedExecutions } from './executions/started-executions.ts';
import { createMachines, toDescription } from './machines.ts';
import type { StateMachines, StateMachinesOptions } from './state-machines.ts';

export function createStateMachines(options: StateMachinesOptions): StateMachines {
  const { region = 'us-east-1', account = '123456789012', hasRoom = () => true } = options;
  const tokens = new TaskTokens();
  const environment: ExecutionHost = {
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    region,
    invokeLambda: options.invokeLambda,
    tokens,
    startExecution(request) {
      if (hasRoom()) return executions.start(request);
      // Of Express executions, which are started through the SDK, the rate is limited.
      const name = request.type === 'EXPRESS' ? 'Throttling' : 'ExecutionLimitExceeded';
      throw new StatesApiError(name, 'Rate exceeded');
    },
  };
  const machines = createMachines({ ...options, region, account, now: () => environment.clock.now() });
  const executions = createStartedExecutions({ ...options, region, account, machines, environment });

  return {
    createStateMachine: machines.create,
    updateStateMachine: machines.update,
    describeStateMachine: (stateMachineArn) => toDescription(machines.find(stateMachineArn)),
    describeStateMachineForExecution: (executionArn) => toDescription(executions.find(executionArn).machine),
    listStateMachines: () => machines.all().map(toDescription),
    deleteStateMachine: machines.delete,

    startExecution({ input = {}, ...request }) {
      const execution = executions.start({ ...request, input, type: 'STANDARD' });
      return { executionArn: execution.seed.executionArn, startDate: new Date(execution.startDate) };
    },

    describeExecution: (executionArn) => describe(executions.find(executionArn).execution),

    listExecutions({ stateMachineArn, statusFilter }) {
      machines.find(stateMachineArn);
      return executions
        .all()
        .map(({ execution }) => execution)
        .filter((execution) => execution.seed.stateMachineArn === stateMachineArn)
        .filter((execution) => statusFilter === undefined || execution.status === statusFilter)
        .map(describe)
        .reverse();
    },

    getExecutionHistory({ executionArn, reverseOrder = false, includeExecutionData = true, start, end }) {
      const { events } = executions.find(executionArn).execution;
      const ordered = reverseOrder ? events.toReversed() : events;
      return ordered.slice(start, end).map((event) => renderEvent(event, includeExecutionData));
    },

    stopExecution({ executionArn, error, cause }) {
      const { execution } = executions.find(executionArn);
      execution.stop(error, cause);
      return { stopDate: new Date(execution.stopDate ?? environment.clock.now()) };
    },

    redriveExecution: executions.redrive,

    sendTaskSuccess({ taskToken, output }) {
      if (!fitsDataLimit(output)) {
        throw new StatesApiError('InvalidOutput', `the output takes more than ${MAX_DATA_BYTES} bytes`);
      }
      tokens.find(taskToken).send({ output: copyJson(output) });
    },

    sendTaskFailure({ taskToken, error, cause }) {
      tokens.find(taskToken).send({ error, cause });
    },

    sendTaskHeartbeat({ taskToken }) {
      tokens.find(taskToken).heartbeat();
    },

    async ended(executionArn) {
      const { execution } = executions.find(executionArn);
      const status = await execution.ended;
      return { ...describe(execution), status };
    },

    stopAll(cause) {
      for (const { execution } of executions.all()) execution.stop(undefined, cause);
    },
  };
}
