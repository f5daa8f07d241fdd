import { randomUUID } from 'node:crypto';
import type { Json } from '../json.ts';
import { checkDefinitionText } from './definition/check-definition.ts';
import type { Definition } from './definition/definition.ts';
import { parseDefinition } from './definition/parse-definition.ts';
import { describe, renderEvent, toStatusChangeEvent } from './executions/descriptions.ts';
import { StatesApiError } from './executions/errors.ts';
import { Execution, type Environment } from './executions/execution.ts';
import { systemClock } from './executions/ports.ts';
import { TaskTokens } from './executions/task-tokens.ts';
import { copyJson, fitsDataLimit, MAX_DATA_BYTES } from './expressions/json-value.ts';
import type { StateMachineDescription, StateMachines, StateMachinesOptions } from './state-machines.ts';
import { runExecution } from './states/run-states.ts';

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
    if (!fitsDataLimit(request.input)) {
      throw new StatesApiError('InvalidExecutionInput', `the input takes more than ${MAX_DATA_BYTES} bytes`);
    }
    const executionArn = `arn:aws:states:${region}:${account}:execution:${machine.name}:${name}`;
    const existing = executions.get(executionArn);
    if (existing !== undefined) {
      if (
        existing.status === 'RUNNING' &&
        JSON.stringify(existing.seed.input) === JSON.stringify(request.input)
      )
        return existing;
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
    queueMicrotask(() => void runExecution(execution));
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
          `state machines of type ${type} are not supported; use STANDARD`,
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
        parsed: load(text, validate),
      };
      machines.set(stateMachineArn, machine);
      return { stateMachineArn, creationDate: machine.creationDate };
    },

    checkDefinition: checkDefinitionText,

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
      for (const execution of executions.values()) execution.stop(undefined, cause);
    },
  };
}

/**
 * Reads a definition into the form that runs.
 * @throws StatesApiError InvalidDefinition, telling all that is wrong and where
 */
function load(text: string, validate: boolean): Definition {
  const problems = validate ? checkDefinitionText(text) : [];
  const errors = problems.filter(({ severity }) => severity === 'ERROR');
  if (errors.length === 0) return parseDefinition(text);
  const list = errors.map(({ code, message, location }) => `${code}: ${message} at ${location}`);
  throw new StatesApiError('InvalidDefinition', `Invalid State Machine Definition: '${list.join(', ')}'`);
}

function toDescription({ parsed: _parsed, ...description }: Machine): StateMachineDescription {
  return description;
}

/** What the service does not take in a name: white space, brackets, wildcards, other special and control characters. */
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;

/** @throws StatesApiError InvalidName for a name that no state machine or execution may have */
function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw new StatesApiError(
    'InvalidName',
    `Invalid Name: '${name}' is not 1 to 80 letters, digits, hyphens and underscores`,
  );
}

const ARNS = {
  stateMachine: /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:stateMachine:[^:]+$/,
  execution: /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:execution:[^:]+:[^:]+$/,
};

/** @throws StatesApiError InvalidArn */
function checkArn(arn: string, type: keyof typeof ARNS): void {
  if (ARNS[type].test(arn)) return;
  const what = type === 'execution' ? 'an execution' : 'a state machine';
  throw new StatesApiError('InvalidArn', `Invalid Arn: '${arn}' is not the ARN of ${what}`);
}
