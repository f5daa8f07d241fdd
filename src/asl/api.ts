import * as v from 'valibot';
import type { Json } from '../json.ts';
import { StatesApiError } from './api-errors.ts';
import type { ExecutionDescription } from './execution-description.ts';
import { isJsonObject, MAX_DATA_BYTES, parseJson } from './json-value.ts';
import { paginate } from './paginate.ts';
import type { StateMachineDescription, StateMachines } from './state-machines.ts';

/** The service's words for what a member of a request must be. */
const text = v.string('Member must be a string');
const atMost = (characters: number) =>
  v.maxLength<string, number, string>(
    characters,
    `Member must have length less than or equal to ${characters}`,
  );
const oneOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, `Member must satisfy enum value set: [${values.join(', ')}]`);
const flag = v.boolean('Member must be a boolean');
const maxResults = v.optional(
  v.pipe(
    v.number('Member must be an integer'),
    v.integer('Member must be an integer'),
    v.minValue(0, 'Member must have value greater than or equal to 0'),
    v.maxValue(1000, 'Member must have value less than or equal to 1000'),
  ),
  100,
);
const page = { maxResults, nextToken: v.optional(text) };
const includedData = v.optional(oneOf(['ALL_DATA', 'METADATA_ONLY']), 'ALL_DATA');
/** JSON text of at most 256 KiB. */
const data = v.pipe(
  text,
  v.maxBytes(MAX_DATA_BYTES, `Member must have length less than or equal to ${MAX_DATA_BYTES}`),
);
const error = v.optional(v.pipe(text, atMost(256)));
const cause = v.optional(v.pipe(text, atMost(32_768)));
const status = oneOf(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE']);

type Operation = (machines: StateMachines, body: unknown) => unknown;

/** An operation that reads its request by a schema; members that it does not know are ignored, as by the service. */
function operation<S extends v.ObjectSchema<v.ObjectEntries, undefined>>(
  schema: S,
  run: (machines: StateMachines, request: v.InferOutput<S>) => unknown,
): Operation {
  return (machines, body) => {
    const parsed = v.safeParse(schema, body);
    if (parsed.success) return run(machines, parsed.output);
    const faults = parsed.issues.map(
      (issue) => `Value at '${v.getDotPath(issue)}' failed to satisfy constraint: ${constraintOf(issue)}`,
    );
    const count = `${faults.length} validation error${faults.length === 1 ? '' : 's'} detected`;
    throw new StatesApiError('ValidationException', `${count}: ${faults.join('; ')}`);
  };
}

const OPERATIONS: Record<string, Operation> = {
  CreateStateMachine: operation(
    v.object({ name: text, definition: text, roleArn: text, type: v.optional(text, 'STANDARD') }),
    (machines, request) => {
      const { stateMachineArn, creationDate } = machines.createStateMachine(request);
      return { stateMachineArn, creationDate: seconds(creationDate) };
    },
  ),

  ValidateStateMachineDefinition: operation(v.object({ definition: text }), (machines, { definition }) => {
    const diagnostics = machines.checkDefinition(definition);
    return { result: diagnostics.some(({ severity }) => severity === 'ERROR') ? 'FAIL' : 'OK', diagnostics };
  }),

  DescribeStateMachine: operation(v.object({ stateMachineArn: text }), (machines, { stateMachineArn }) =>
    toMachine(machines.describeStateMachine(stateMachineArn)),
  ),

  DescribeStateMachineForExecution: operation(
    v.object({ executionArn: text }),
    (machines, { executionArn }) => {
      const { stateMachineArn } = machines.describeExecution(executionArn);
      const { name, definition, roleArn, creationDate } = machines.describeStateMachine(stateMachineArn);
      return { stateMachineArn, name, definition, roleArn, updateDate: seconds(creationDate) };
    },
  ),

  DeleteStateMachine: operation(v.object({ stateMachineArn: text }), (machines, { stateMachineArn }) => {
    machines.deleteStateMachine(stateMachineArn);
    return {};
  }),

  ListStateMachines: operation(v.object(page), (machines, request) => {
    const { items, ...rest } = paginate(
      (start, end) => machines.listStateMachines().slice(start, end),
      request,
    );
    const stateMachines = items.map(({ stateMachineArn, name, type, creationDate }) => ({
      stateMachineArn,
      name,
      type,
      creationDate: seconds(creationDate),
    }));
    return { stateMachines, ...rest };
  }),

  StartExecution: operation(
    v.object({ stateMachineArn: text, name: v.optional(text), input: v.optional(data, '{}') }),
    (machines, { input, ...request }) => {
      const { executionArn, startDate } = machines.startExecution({
        ...request,
        input: parse(input, 'InvalidExecutionInput', 'Invalid State Machine Execution Input'),
      });
      return { executionArn, startDate: seconds(startDate) };
    },
  ),

  DescribeExecution: operation(v.object({ executionArn: text, includedData }), (machines, request) =>
    toExecution(machines.describeExecution(request.executionArn), request.includedData === 'ALL_DATA'),
  ),

  ListExecutions: operation(
    v.object({ stateMachineArn: text, statusFilter: v.optional(status), ...page }),
    (machines, request) => {
      const { stateMachineArn, statusFilter } = request;
      const all =
        statusFilter === 'PENDING_REDRIVE' ? [] : machines.listExecutions({ stateMachineArn, statusFilter });
      const { items, ...rest } = paginate((start, end) => all.slice(start, end), request);
      const executions = items.map(({ startDate, stopDate, ...execution }) => ({
        executionArn: execution.executionArn,
        stateMachineArn: execution.stateMachineArn,
        name: execution.name,
        status: execution.status,
        startDate: seconds(startDate),
        ...(stopDate && { stopDate: seconds(stopDate) }),
        redriveCount: 0,
      }));
      return { executions, ...rest };
    },
  ),

  GetExecutionHistory: operation(
    v.object({
      executionArn: text,
      reverseOrder: v.optional(flag, false),
      includeExecutionData: v.optional(flag, true),
      ...page,
    }),
    (machines, request) => {
      const { items, ...rest } = paginate(
        (start, end) => machines.getExecutionHistory({ ...request, start, end }),
        request,
      );
      return { events: items, ...rest };
    },
  ),

  StopExecution: operation(v.object({ executionArn: text, error, cause }), (machines, request) => {
    const { stopDate } = machines.stopExecution(request);
    return { stopDate: seconds(stopDate) };
  }),

  SendTaskSuccess: operation(
    v.object({ taskToken: text, output: data }),
    (machines, { taskToken, output }) => {
      machines.sendTaskSuccess({ taskToken, output: parse(output, 'InvalidOutput', 'Invalid Output') });
      return {};
    },
  ),

  SendTaskFailure: operation(v.object({ taskToken: text, error, cause }), (machines, request) => {
    machines.sendTaskFailure(request);
    return {};
  }),

  SendTaskHeartbeat: operation(v.object({ taskToken: text }), (machines, request) => {
    machines.sendTaskHeartbeat(request);
    return {};
  }),
};

/**
 * Answers a request of the API.
 * @param body JSON text
 * @throws StatesApiError
 */
export function answer(machines: StateMachines, operationName: string, body: string): unknown {
  const run = Object.hasOwn(OPERATIONS, operationName) ? OPERATIONS[operationName] : undefined;
  if (run === undefined) {
    const known = Object.keys(OPERATIONS).join(', ');
    throw new StatesApiError(
      'UnknownOperationException',
      `there is no operation ${operationName} here, only ${known}`,
    );
  }
  const request = parse(body === '' ? '{}' : body, 'SerializationException', 'the body is no JSON');
  if (!isJsonObject(request)) {
    throw new StatesApiError('SerializationException', 'the body is no JSON object');
  }
  return run(machines, request);
}

/** What the schema of an object says itself is that a member is not there. */
function constraintOf({ type, message }: v.BaseIssue<unknown>): string {
  return type === 'object' ? 'Member must not be null' : message;
}

function parse(source: string, errorName: StatesApiError['name'], message: string): Json {
  try {
    return parseJson(source);
  } catch (thrown) {
    throw new StatesApiError(
      errorName,
      `${message}: '${thrown instanceof Error ? thrown.message : String(thrown)}'`,
    );
  }
}

function toMachine({ creationDate, ...machine }: StateMachineDescription) {
  return {
    ...machine,
    creationDate: seconds(creationDate),
    loggingConfiguration: { level: 'OFF', includeExecutionData: false },
  };
}

function toExecution(
  { input, output, startDate, stopDate, ...execution }: ExecutionDescription,
  allData: boolean,
) {
  return {
    ...execution,
    startDate: seconds(startDate),
    ...(stopDate && { stopDate: seconds(stopDate) }),
    inputDetails: { included: allData },
    ...(allData && { input: JSON.stringify(input) }),
    ...(output !== undefined && { outputDetails: { included: allData } }),
    ...(output !== undefined && allData && { output: JSON.stringify(output) }),
    redriveCount: 0,
    redriveStatus: 'NOT_REDRIVABLE',
  };
}

/** Seconds since the epoch, as the API has times. */
function seconds(date: Date): number {
  return date.getTime() / 1000;
}
