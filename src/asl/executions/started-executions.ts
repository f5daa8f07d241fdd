import { randomUUID } from 'node:crypto';
import { copyJson, fitsDataLimit, MAX_DATA_BYTES } from '../expressions/json-value.ts';
import type { createMachines, Machine } from '../machines.ts';
import { checkArn, checkName } from '../names.ts';
import type { StateMachines, StateMachinesOptions } from '../state-machines.ts';
import { runExecution } from '../states/run-states.ts';
import { toStatusChangeEvent } from './descriptions.ts';
import { StatesApiError } from './errors.ts';
import { Execution, type ExecutionHost, type ExecutionRequest } from './execution.ts';
import type { Thread } from './thread.ts';

interface Started {
  execution: Execution;
  /** As it was when the execution started. */
  machine: Machine;
  /** Where the execution is, once it runs. */
  thread?: Thread | undefined;
  /** Of the request that redrove it last. */
  clientToken?: string | undefined;
}

/** The executions that there are, of all machines. */
interface StartedExecutions {
  /** One that runs already with the same input is returned as it is, unless it is an Express execution. */
  start(request: ExecutionRequest): Execution;
  redrive: StateMachines['redriveExecution'];
  /** @throws {StatesApiError} `ExecutionDoesNotExist` */
  find(executionArn: string): Started;
  /** In the order in which they were started. */
  all(): Started[];
}

interface StartedExecutionsOptions extends Pick<StateMachinesOptions, 'keepEnded' | 'onStatusChange'> {
  region: string;
  account: string;
  machines: ReturnType<typeof createMachines>;
  environment: ExecutionHost;
}

export function createStartedExecutions(options: StartedExecutionsOptions): StartedExecutions {
  const { region, account, machines, environment, keepEnded = 1000, onStatusChange } = options;
  /** By ARN. */
  const executions = new Map<string, Started>();
  /** The ARNs of those that have ended, the oldest first. */
  const endedArns = new Set<string>();

  function start(request: ExecutionRequest): Execution {
    const machine = machines.find(request.stateMachineArn);
    const name = request.name ?? randomUUID();
    checkName(name);
    if (!fitsDataLimit(request.input)) {
      throw new StatesApiError('InvalidExecutionInput', `the input takes more than ${MAX_DATA_BYTES} bytes`);
    }
    if (machine.type !== request.type) {
      throw new StatesApiError(
        'StateMachineTypeNotSupported',
        `This operation is not supported by this type of state machine: '${machine.type}'`,
      );
    }
    // Express executions are told apart by more than their names, which repeat.
    const executionArn =
      machine.type === 'EXPRESS'
        ? `arn:aws:states:${region}:${account}:express:${machine.name}:${name}:${randomUUID()}`
        : `arn:aws:states:${region}:${account}:execution:${machine.name}:${name}`;
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
        type: machine.type,
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
    if (execution.seed.type === 'STANDARD') {
      onStatusChange?.(execution.status, () => toStatusChangeEvent(execution, account));
    }
    if (execution.status === 'RUNNING') return;
    endedArns.add(execution.seed.executionArn);
    for (const oldest of endedArns) {
      if (endedArns.size <= keepEnded) break;
      endedArns.delete(oldest);
      executions.delete(oldest);
    }
  }

  function find(executionArn: string): Started {
    checkArn(executionArn, 'execution');
    const started = executions.get(executionArn);
    if (started !== undefined) return started;
    throw new StatesApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
  }

  return {
    start,
    find,
    all: () => [...executions.values()],
    redrive({ executionArn, clientToken }) {
      const started = find(executionArn);
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
  };
}
