import { randomUUID } from 'node:crypto';
import type { Json } from '../json.ts';
import { StatesApiError } from './api-errors.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Definition } from './definition.ts';
import { Execution, type Environment, type ExecutionStatus } from './execution.ts';
import { describe, type ExecutionDescription } from './execution-description.ts';
import { renderEvent, type RenderedEvent } from './history.ts';
import { copyJson, fitsDataLimit, MAX_DATA_BYTES } from './json-value.ts';
import type { InvokeLambda } from './lambda.ts';
import { loadDefinition, problemsIn } from './load-definition.ts';
import { checkArn, checkName } from './names.ts';
import type { Problem } from './problems.ts';
import { toStatusChangeEvent, type StatusChangeEvent } from './status-change.ts';
import { TaskTokens } from './task-tokens.ts';

export interface StateMachinesOptions {
  invokeLambda: InvokeLambda;
  /** Called for each start and end of an execution, nested ones included. Must not throw. */
  onStatusChange?: (event: StatusChangeEvent) => void;
  /** `us-east-1` if left out. */
  region?: string;
  /** Twelve digits, `123456789012` if left out. */
  account?: string;
  /** How many executions that have ended are kept, the latest; 1000 if left out. An older one no longer exists. */
  keepEnded?: number;
  clock?: Clock;
  /** Numbers from 0 up to 1, for the jitter of retries. */
  random?: () => number;
}

export interface StateMachineDescription {
  stateMachineArn: string;
  name: string;
  /** JSON text, as it was given. */
  definition: string;
  roleArn: string;
  type: 'STANDARD';
  status: 'ACTIVE';
  creationDate: Date;
}

/**
 * State machines and their executions in this process: the door by which the command uses the interpreter, and
 * behind the server. Values are JSON values, times are Dates, errors are StatesApiError with the service's names.
 */
export interface StateMachines {
  /**
   * Creates a state machine; the same request again is no error.
   * @param request.definition JSON text, or the object itself
   * @param request.validate false for a definition that was checked before, as ours is by its tests
   * @throws StatesApiError InvalidDefinition (naming everything that is wrong with it, and where), InvalidName,
   * StateMachineAlreadyExists
   */
  createStateMachine(request: {
    name: string;
    definition: string | { [key: string]: Json };
    roleArn: string;
    type?: string;
    validate?: boolean;
  }): { stateMachineArn: string; creationDate: Date };

  /**
   * Finds what is wrong with a definition, and, as warnings, what the service accepts and then fails at.
   * @param definition JSON text
   */
  checkDefinition(definition: string): Problem[];

  /** @throws StatesApiError StateMachineDoesNotExist */
  describeStateMachine(stateMachineArn: string): StateMachineDescription;

  listStateMachines(): StateMachineDescription[];

  /** Executions that run go on. No error if there is no such machine. */
  deleteStateMachine(stateMachineArn: string): void;

  /**
   * Starts an execution. The same name and input again, while it runs, is the same execution.
   * @param request.name a UUID if left out
   * @param request.input `{}` if left out
   * @throws StatesApiError StateMachineDoesNotExist, ExecutionAlreadyExists, InvalidName, InvalidExecutionInput
   */
  startExecution(request: { stateMachineArn: string; name?: string | undefined; input?: Json }): {
    executionArn: string;
    startDate: Date;
  };

  /** @throws StatesApiError ExecutionDoesNotExist */
  describeExecution(executionArn: string): ExecutionDescription;

  /** Newest first. @throws StatesApiError StateMachineDoesNotExist */
  listExecutions(request: {
    stateMachineArn: string;
    statusFilter?: ExecutionStatus | undefined;
  }): ExecutionDescription[];

  /** @throws StatesApiError ExecutionDoesNotExist */
  getExecutionHistory(request: {
    executionArn: string;
    /** The last event first. */
    reverseOrder?: boolean;
    /** False leaves out inputs, outputs, parameters and variables. */
    includeExecutionData?: boolean;
    /** The part from `start` up to but without `end`; all if left out. */
    start?: number;
    end?: number;
  }): RenderedEvent[];

  /** Ends an execution and all that are nested in it. No effect if it has ended. */
  stopExecution(request: { executionArn: string; error?: string | undefined; cause?: string | undefined }): {
    stopDate: Date;
  };

  /** @throws StatesApiError InvalidToken, TaskTimedOut, InvalidOutput */
  sendTaskSuccess(request: { taskToken: string; output: Json }): void;
  /** @throws StatesApiError InvalidToken, TaskTimedOut */
  sendTaskFailure(request: {
    taskToken: string;
    error?: string | undefined;
    cause?: string | undefined;
  }): void;
  /** @throws StatesApiError InvalidToken, TaskTimedOut */
  sendTaskHeartbeat(request: { taskToken: string }): void;

  /**
   * The execution as it was at its end, as soon as it ends.
   * @throws StatesApiError ExecutionDoesNotExist
   */
  ended(executionArn: string): Promise<ExecutionDescription>;

  /** Stops all executions that run, so that nothing keeps the process from ending. */
  stopAll(cause: string): void;
}

interface Machine extends StateMachineDescription {
  parsed: Definition;
}

export function createStateMachines(options: StateMachinesOptions): StateMachines {
  const { region = 'us-east-1', account = '123456789012', keepEnded = 1000, onStatusChange } = options;
  const machines = new Map<string, Machine>();
  const executions = new Map<string, Execution>();
  /** The ARNs of those that have ended, the oldest first. */
  const endedArns: string[] = [];
  const tokens = new TaskTokens();
  const environment: Environment = {
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    region,
    invokeLambda: options.invokeLambda,
    tokens,
    startExecution,
  };

  function startExecution(request: {
    stateMachineArn: string;
    name?: string | undefined;
    input: Json;
  }): Execution {
    const machine = findMachine(request.stateMachineArn);
    const name = request.name ?? randomUUID();
    checkName(name);
    const inputText = JSON.stringify(request.input);
    if (!fitsDataLimit(inputText)) {
      throw new StatesApiError('InvalidExecutionInput', `the input takes more than ${MAX_DATA_BYTES} bytes`);
    }
    const executionArn = `arn:aws:states:${region}:${account}:execution:${machine.name}:${name}`;
    const existing = executions.get(executionArn);
    if (existing !== undefined) {
      if (existing.status === 'RUNNING' && JSON.stringify(existing.seed.input) === inputText) return existing;
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
    executions.set(executionArn, execution);
    execution.start();
    return execution;
  }

  function changed(execution: Execution): void {
    onStatusChange?.(toStatusChangeEvent(execution, account));
    if (execution.status === 'RUNNING') return;
    endedArns.push(execution.seed.executionArn);
    while (endedArns.length > keepEnded) executions.delete(endedArns.shift() ?? '');
  }

  function findMachine(stateMachineArn: string): Machine {
    checkArn(stateMachineArn, 'stateMachine');
    const machine = machines.get(stateMachineArn);
    if (machine !== undefined) return machine;
    throw new StatesApiError(
      'StateMachineDoesNotExist',
      `State Machine Does Not Exist: '${stateMachineArn}'`,
    );
  }

  function findExecution(executionArn: string): Execution {
    checkArn(executionArn, 'execution');
    const execution = executions.get(executionArn);
    if (execution !== undefined) return execution;
    throw new StatesApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
  }

  return {
    createStateMachine({ name, definition, roleArn, type = 'STANDARD', validate = true }) {
      checkName(name);
      if (type !== 'STANDARD') {
        throw new StatesApiError(
          'StateMachineTypeNotSupported',
          `state machines of type ${type} are not supported, use STANDARD`,
        );
      }
      const stateMachineArn = `arn:aws:states:${region}:${account}:stateMachine:${name}`;
      const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
      const existing = machines.get(stateMachineArn);
      if (existing !== undefined) {
        if (existing.definition === text && existing.roleArn === roleArn) return existing;
        throw new StatesApiError(
          'StateMachineAlreadyExists',
          `State Machine Already Exists: '${stateMachineArn}'`,
        );
      }
      const machine: Machine = {
        stateMachineArn,
        name,
        definition: text,
        roleArn,
        type,
        status: 'ACTIVE',
        creationDate: new Date(environment.clock.now()),
        parsed: loadDefinition(text, validate),
      };
      machines.set(stateMachineArn, machine);
      return { stateMachineArn, creationDate: machine.creationDate };
    },

    checkDefinition: problemsIn,

    describeStateMachine: (stateMachineArn) => toDescription(findMachine(stateMachineArn)),

    listStateMachines: () => [...machines.values()].map(toDescription),

    deleteStateMachine(stateMachineArn) {
      checkArn(stateMachineArn, 'stateMachine');
      machines.delete(stateMachineArn);
    },

    startExecution({ input = {}, ...request }) {
      const execution = startExecution({ ...request, input });
      return { executionArn: execution.seed.executionArn, startDate: new Date(execution.startDate) };
    },

    describeExecution: (executionArn) => describe(findExecution(executionArn)),

    listExecutions({ stateMachineArn, statusFilter }) {
      findMachine(stateMachineArn);
      return [...executions.values()]
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

    sendTaskSuccess({ taskToken, output }) {
      if (!fitsDataLimit(JSON.stringify(output))) {
        throw new StatesApiError('InvalidOutput', `the output takes more than ${MAX_DATA_BYTES} bytes`);
      }
      tokens.find(taskToken).settle({ output: copyJson(output) });
    },

    sendTaskFailure({ taskToken, error, cause }) {
      tokens.find(taskToken).settle({ error, cause });
    },

    sendTaskHeartbeat({ taskToken }) {
      tokens.find(taskToken).heartbeat();
    },

    async ended(executionArn) {
      const execution = findExecution(executionArn);
      await execution.ended;
      return describe(execution);
    },

    stopAll(cause) {
      for (const execution of executions.values()) execution.stop(undefined, cause);
    },
  };
}

function toDescription({ parsed: _parsed, ...description }: Machine): StateMachineDescription {
  return description;
}
