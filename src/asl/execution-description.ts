import type { Json } from '../json.ts';
import type { Execution, ExecutionStatus } from './execution.ts';
import type { JsonObject } from './json-value.ts';

/** An execution as DescribeExecution tells of it, with values for JSON texts and Dates for times. */
export interface ExecutionDescription {
  executionArn: string;
  stateMachineArn: string;
  name: string;
  status: ExecutionStatus;
  startDate: Date;
  stopDate?: Date;
  input: Json;
  output?: Json;
  error?: string;
  cause?: string;
}

export function describe(execution: Execution): ExecutionDescription {
  const { seed, status, startDate, stopDate, output, error, cause } = execution;
  return {
    executionArn: seed.executionArn,
    stateMachineArn: seed.stateMachineArn,
    name: seed.name,
    status,
    startDate: new Date(startDate),
    ...(stopDate !== undefined && { stopDate: new Date(stopDate) }),
    input: seed.input,
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
  };
}

/**
 * An execution as the task of its parent sees it: DescribeExecution with capital letters and times in milliseconds.
 * @param parsed input and output as values (`.sync:2`) instead of JSON texts (`.sync`)
 */
export function describeToParent(execution: Execution, parsed: boolean): JsonObject {
  const { seed, status, startDate, stopDate, output, error, cause } = execution;
  const write = (value: Json): Json => (parsed ? value : JSON.stringify(value));
  return {
    ...(cause !== undefined && { Cause: cause }),
    ...(error !== undefined && { Error: error }),
    ExecutionArn: seed.executionArn,
    Input: write(seed.input),
    InputDetails: { Included: true },
    Name: seed.name,
    ...(output !== undefined && { Output: write(output), OutputDetails: { Included: true } }),
    RedriveCount: 0,
    ...redriveStatus(status),
    StartDate: startDate,
    StateMachineArn: seed.stateMachineArn,
    Status: status,
    ...(stopDate !== undefined && { StopDate: stopDate }),
  };
}

function redriveStatus(status: ExecutionStatus): JsonObject {
  if (status !== 'SUCCEEDED') return { RedriveStatus: 'REDRIVABLE' };
  return {
    RedriveStatus: 'NOT_REDRIVABLE',
    RedriveStatusReason: 'Execution is SUCCEEDED and cannot be redriven',
  };
}
