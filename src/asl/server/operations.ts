import { checkDefinitionText } from '../definition/check-definition.ts';
import * as v from 'valibot';
import type { ExecutionDescription } from '../executions/descriptions.ts';
import { StatesApiError } from '../executions/errors.ts';
import { isJsonObject } from '../../json.ts';
import type { StateMachineDescription, StateMachines } from '../state-machines.ts';
import {
  cause,
  data,
  error,
  flag,
  includedData,
  operation,
  page,
  paginate,
  parse,
  status,
  text,
  type StatesOperation,
} from './requests.ts';

const OPERATIONS: Record<string, StatesOperation> = {
  CreateStateMachine: operation(
    v.object({ name: text, definition: text, roleArn: text, type: v.optional(text, 'STANDARD') }),
    (machines, request) => {
      const { stateMachineArn, creationDate } = machines.createStateMachine(request);
      return { stateMachineArn, creationDate: seconds(creationDate) };
    },
  ),

  UpdateStateMachine: operation(
    v.object({ stateMachineArn: text, definition: v.optional(text), roleArn: v.optional(text) }),
    (machines, request) => ({ updateDate: seconds(machines.updateStateMachine(request).updateDate) }),
  ),

  ValidateStateMachineDefinition: operation(v.object({ definition: text }), (_, { definition }) => {
    const diagnostics = checkDefinitionText(definition);
    return { result: diagnostics.some(({ severity }) => severity === 'ERROR') ? 'FAIL' : 'OK', diagnostics };
  }),

  DescribeStateMachine: operation(v.object({ stateMachineArn: text }), (machines, { stateMachineArn }) =>
    toMachine(machines.describeStateMachine(stateMachineArn)),
  ),

  DescribeStateMachineForExecution: operation(
    v.object({ executionArn: text }),
    (machines, { executionArn }) => {
      const machine = machines.describeStateMachineForExecution(executionArn);
      const { stateMachineArn, name, definition, roleArn, updateDate } = machine;
      return { stateMachineArn, name, definition, roleArn, updateDate: seconds(updateDate) };
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
      if (machines.describeStateMachine(stateMachineArn).type === 'EXPRESS') {
        throw new StatesApiError('StateMachineTypeNotSupported', 'Express executions are not listed');
      }
      const all =
        statusFilter === 'PENDING_REDRIVE' ? [] : machines.listExecutions({ stateMachineArn, statusFilter });
      const { items, ...rest } = paginate((start, end) => all.slice(start, end), request);
      const executions = items.map(({ startDate, stopDate, redriveDate, ...execution }) => ({
        executionArn: execution.executionArn,
        stateMachineArn: execution.stateMachineArn,
        name: execution.name,
        status: execution.status,
        startDate: seconds(startDate),
        ...(stopDate && { stopDate: seconds(stopDate) }),
        redriveCount: execution.redriveCount,
        ...(redriveDate && { redriveDate: seconds(redriveDate) }),
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

  RedriveExecution: operation(
    v.object({ executionArn: text, clientToken: v.optional(text) }),
    (machines, request) => ({ redriveDate: seconds(machines.redriveExecution(request).redriveDate) }),
  ),

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
      `operation ${operationName} is not supported, only ${known}`,
    );
  }
  const request = parse(body === '' ? '{}' : body, 'SerializationException', 'the body is not JSON');
  if (!isJsonObject(request)) {
    throw new StatesApiError('SerializationException', 'the body is not a JSON object');
  }
  const { executionArn } = request;
  // The service does not look at Express executions, and does not stop them.
  if (typeof executionArn === 'string' && executionArn.split(':')[5] === 'express') {
    throw new StatesApiError('InvalidArn', "Invalid Arn: 'Resource type not valid in this context: express'");
  }
  return run(machines, request);
}

function toMachine({ creationDate, updateDate: _updateDate, ...machine }: StateMachineDescription) {
  return {
    ...machine,
    creationDate: seconds(creationDate),
    loggingConfiguration: { level: 'OFF', includeExecutionData: false },
  };
}

function toExecution(
  { input, output, startDate, stopDate, redriveDate, ...execution }: ExecutionDescription,
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
    ...(redriveDate && { redriveDate: seconds(redriveDate) }),
  };
}

/** Seconds since the epoch, as the API has times. */
function seconds(date: Date): number {
  return date.getTime() / 1000;
}
