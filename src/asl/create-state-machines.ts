import { randomUUID } from 'node:crypto';
import type { Json } from '../json.ts';
import { describe, renderEvent, toStatusChangeEvent } from './executions/descriptions.ts';
import { StatesApiError } from './executions/errors.ts';
import { Execution, type ExecutionHost } from './executions/execution.ts';
import { systemClock } from './executions/ports.ts';
import { TaskTokens } from './executions/task-tokens.ts';
import type { Thread } from './executions/thread.ts';
import { copyJson, fitsDataLimit, MAX_DATA_BYTES } from './expressions/json-value.ts';
import { createMachines, toDescription, type Machine } from './machines.ts';
import { checkArn, checkName } from './names.ts';
import type { StateMachines, StateMachinesOptions } from './state-machines.ts';
import { runExecution } from './states/run-states.ts';

interface Started {
  execution: Execution;
  /** As it was when the execution started. */
  machine: Machine;
  /** Where the execution is, once it runs. */
  thread?: Thread | undefined;
  /** Of the request that redrove it last. */
  clientToken?: string | undefined;
}

export function createStateMachines(options: StateMachinesOptions): StateMachines {
  const { region = 'us-east-1', account = '123456789012', keepEnded = 1000, onStatusChange } = options;
  /** By ARN. */
  const executions = new Map<string, Started>();
  /** The ARNs of those that have ended, the oldest first. */
  const endedArns = new Set<string>();
  const tokens = new TaskTokens();
  const environment: ExecutionHost = {
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    region,
    invokeLambda: options.invokeLambda,
    tokens,
    startExecution,
  };
  const machines = createMachines({ ...options, region, account, now: () => environment.clock.now() });

  function startExecution(request: {
    stateMachineArn: string;
    name?: string | undefined;
    input: Json;
  }): Execution {
    const machine = machines.find(request.stateMachineArn);
    const name = request.name ?? randomUUID();
    checkName(name);
    if (!fitsDataLimit(request.input)) {
      throw new StatesApiError('InvalidExecutionInput', `the input takes more than ${MAX_DATA_BYTES} bytes`);
    }
    const executionArn = `arn:aws:states:${region}:${account}:execution:${machine.name}:${name}`;
    const existing = executions.get(executionArn);
    if (existing !== undefined) {
      const { status, seed } = existing.execution;
      if (status === 'RUNNING' && JSON.stringify(seed.input) === JSON.stringify(request.input))
        return existing.execution;
      throw new StatesApiError('ExecutionAlreadyExists', `Execution Already Exists: '${executionArn}'`);
    }
    const execution = new Execution(
      {
        executionArn,
        name,
        stateMachineArn: machine.stateMachineArn,
        stateMachineName: machine.name,
        roleArn: machine.roleArn,
        definition: machine.parsed,
        input: copyJson(request.input),
        onStatusChange: changed,
      },
      environment,
    );
    begin({ execution, machine });
    return execution;
  }

  /** @param started with the thread of the execution that is redriven, where it is one */
  function begin(started: Started): void {
    const { execution, thread } = started;
    executions.set(execution.seed.executionArn, started);
    execution.start();
    started.thread = runExecution(execution, thread);
  }

  function changed(execution: Execution): void {
    onStatusChange?.(execution.status, () => toStatusChangeEvent(execution, account));
    if (execution.status === 'RUNNING') return;
    endedArns.add(execution.seed.executionArn);
    for (const oldest of endedArns) {
      if (endedArns.size <= keepEnded) break;
      endedArns.delete(oldest);
      executions.delete(oldest);
    }
  }

  function findExecution(executionArn: string): Execution {
    return findStarted(executionArn).execution;
  }

  function findStarted(executionArn: string): Started {
    checkArn(executionArn, 'execution');
    const started = executions.get(executionArn);
    if (started !== undefined) return started;
    throw new StatesApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
  }

  return {
    createStateMachine: machines.create,
    updateStateMachine: machines.update,
    describeStateMachine: (stateMachineArn) => toDescription(machines.find(stateMachineArn)),
    describeStateMachineForExecution: (executionArn) => toDescription(findStarted(executionArn).machine),
    listStateMachines: () => machines.all().map(toDescription),
    deleteStateMachine: machines.delete,

    startExecution({ input = {}, ...request }) {
      const execution = startExecution({ ...request, input });
      return { executionArn: execution.seed.executionArn, startDate: new Date(execution.startDate) };
    },

    describeExecution: (executionArn) => describe(findExecution(executionArn)),

    listExecutions({ stateMachineArn, statusFilter }) {
      machines.find(stateMachineArn);
      return [...executions.values()]
        .map(({ execution }) => execution)
        .filter((execution) => execution.seed.stateMachineArn === stateMachineArn)
        .filter((execution) => statusFilter === undefined || execution.status === statusFilter)
        .map(describe)
        .reverse();
    },

    getExecutionHistory({ executionArn, reverseOrder = false, includeExecutionData = true, start, end }) {
      const { events } = findExecution(executionArn);
      const ordered = reverseOrder ? events.toReversed() : events;
      return ordered.slice(start, end).map((event) => renderEvent(event, includeExecutionData));
    },

    stopExecution({ executionArn, error, cause }) {
      const execution = findExecution(executionArn);
      execution.stop(error, cause);
      return { stopDate: new Date(execution.stopDate ?? environment.clock.now()) };
    },

    redriveExecution({ executionArn, clientToken }) {
      const started = findStarted(executionArn);
      const { execution: earlier, machine, thread } = started;
      if (clientToken !== undefined && clientToken === started.clientToken) {
        return { redriveDate: new Date(earlier.redriveDate ?? earlier.startDate) };
      }
      const reason = earlier.whyNotRedrivable;
      if (reason !== undefined) {
        throw new StatesApiError('ExecutionNotRedrivable', `${reason}: '${executionArn}'`);
      }
      const execution = new Execution(earlier.seed, environment, earlier);
      endedArns.delete(executionArn);
      begin({ execution, machine, thread, clientToken });
      return { redriveDate: new Date(execution.redriveDate ?? execution.startDate) };
    },

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
      const execution = findExecution(executionArn);
      const status = await execution.ended;
      return { ...describe(execution), status };
    },

    stopAll(cause) {
      for (const { execution } of executions.values()) execution.stop(undefined, cause);
    },
  };
}
