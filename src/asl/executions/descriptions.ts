import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '../../json.ts';
import type { EventDetails, Execution, ExecutionStatus, HistoryEvent } from './execution.ts';

/** An execution as DescribeExecution describes it, with values for JSON texts and Dates for times. */
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
  redriveCount: number;
  redriveDate?: Date;
  redriveStatus: 'REDRIVABLE' | 'NOT_REDRIVABLE';
  redriveStatusReason?: string;
}

export function describe(execution: Execution): ExecutionDescription {
  const { seed, status, startDate, stopDate, output, error, cause } = execution;
  const { redriveCount, redriveDate, whyNotRedrivable } = execution;
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
    redriveCount,
    ...(redriveDate !== undefined && { redriveDate: new Date(redriveDate) }),
    redriveStatus: whyNotRedrivable === undefined ? 'REDRIVABLE' : 'NOT_REDRIVABLE',
    ...(whyNotRedrivable !== undefined && { redriveStatusReason: whyNotRedrivable }),
  };
}

/**
 * An execution as the task of its parent sees it: DescribeExecution with capital letters and times in milliseconds.
 * @param parsed input and output as values (`.sync:2`) instead of JSON texts (`.sync`)
 */
export function describeToParent(execution: Execution, parsed: boolean): JsonObject {
  const { seed, status, startDate, stopDate, output, error, cause } = execution;
  const { redriveCount, redriveDate, whyNotRedrivable } = execution;
  const write = (value: Json): Json => (parsed ? value : JSON.stringify(value));
  return {
    ...(cause !== undefined && { Cause: cause }),
    ...(error !== undefined && { Error: error }),
    ExecutionArn: seed.executionArn,
    Input: write(seed.input),
    InputDetails: { Included: true },
    Name: seed.name,
    ...(output !== undefined && { Output: write(output), OutputDetails: { Included: true } }),
    RedriveCount: redriveCount,
    ...(redriveDate !== undefined && { RedriveDate: redriveDate }),
    RedriveStatus: whyNotRedrivable === undefined ? 'REDRIVABLE' : 'NOT_REDRIVABLE',
    ...(whyNotRedrivable !== undefined && { RedriveStatusReason: whyNotRedrivable }),
    StartDate: startDate,
    StateMachineArn: seed.stateMachineArn,
    Status: status,
    ...(stopDate !== undefined && { StopDate: stopDate }),
  };
}

/** An event as GetExecutionHistory gives it: values as JSON text, details under the key of the event's type. */
export interface RenderedEvent {
  [key: string]: Json;
  id: number;
  previousEventId: number;
  /** Seconds since the epoch, as the API has it. */
  timestamp: number;
  type: string;
}

/** @param includeExecutionData false leaves out inputs, outputs, parameters and variables */
export function renderEvent(event: HistoryEvent, includeExecutionData: boolean): RenderedEvent {
  const { id, previousEventId, type, details } = event;
  const rendered: RenderedEvent = { id, previousEventId, timestamp: event.timestamp / 1000, type };
  if (details !== undefined) rendered[detailsKey(type)] = renderDetails(details, includeExecutionData);
  return rendered;
}

/** All states share the details of being entered and left; every other type has a key of its own. */
function detailsKey(type: string): string {
  if (type.endsWith('StateEntered')) return 'stateEnteredEventDetails';
  if (type.endsWith('StateExited')) return 'stateExitedEventDetails';
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`;
}

function renderDetails(details: EventDetails, includeExecutionData: boolean): Json {
  const { input, output, parameters, assignedVariables, ...others } = details;
  const rendered: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(others)) if (value !== undefined) rendered[key] = value;
  if (!includeExecutionData) return rendered;
  if (input !== undefined) {
    Object.assign(rendered, { input: JSON.stringify(input), inputDetails: { truncated: false } });
  }
  if (output !== undefined) {
    Object.assign(rendered, { output: JSON.stringify(output), outputDetails: { truncated: false } });
  }
  if (parameters !== undefined) rendered['parameters'] = JSON.stringify(parameters);
  if (assignedVariables !== undefined) {
    const texts: { [name: string]: Json } = {};
    for (const [name, value] of Object.entries(assignedVariables)) texts[name] = JSON.stringify(value);
    Object.assign(rendered, { assignedVariables: texts, assignedVariablesDetails: { truncated: false } });
  }
  return rendered;
}

/** The event by which EventBridge tells that an execution has started or ended. */
export interface StatusChangeEvent {
  version: '0';
  id: string;
  'detail-type': 'Step Functions Execution Status Change';
  source: 'aws.states';
  account: string;
  /** ISO 8601. */
  time: string;
  region: string;
  resources: [executionArn: string];
  detail: {
    executionArn: string;
    stateMachineArn: string;
    name: string;
    status: ExecutionStatus;
    /** Milliseconds since the epoch. */
    startDate: number;
    /** Milliseconds since the epoch; null while it runs. */
    stopDate: number | null;
    /** JSON text; null if it is left out for its size. */
    input: string | null;
    inputDetails: { included: boolean } | null;
    /** JSON text; null if there is none or it is left out for its size. */
    output: string | null;
    outputDetails: { included: boolean } | null;
    redriveCount: number;
    /** Milliseconds since the epoch; null if it was not redriven. */
    redriveDate: number | null;
    redriveStatus: ExecutionDescription['redriveStatus'];
    redriveStatusReason: string | null;
    error: string | null;
    cause: string | null;
  };
}

/** Input and output together may take 248 KiB; above that the service leaves them out. */
const MAX_STATUS_DATA_BYTES = 248 * 1024;

export function toStatusChangeEvent(execution: Execution, account: string): StatusChangeEvent {
  const { seed, status, startDate, stopDate = null, error = null, cause = null } = execution;
  const { redriveCount, redriveDate = null, whyNotRedrivable = null } = execution;
  const input = JSON.stringify(seed.input);
  const output = execution.output === undefined ? null : JSON.stringify(execution.output);
  const included = Buffer.byteLength(input) + Buffer.byteLength(output ?? '') <= MAX_STATUS_DATA_BYTES;
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    account,
    time: new Date(stopDate ?? redriveDate ?? startDate).toISOString(),
    region: execution.environment.region,
    resources: [seed.executionArn],
    detail: {
      executionArn: seed.executionArn,
      stateMachineArn: seed.stateMachineArn,
      name: seed.name,
      status,
      startDate,
      stopDate,
      input: included ? input : null,
      inputDetails: { included },
      output: included ? output : null,
      outputDetails: output === null ? null : { included },
      redriveCount,
      redriveDate,
      redriveStatus: whyNotRedrivable === null ? 'REDRIVABLE' : 'NOT_REDRIVABLE',
      redriveStatusReason: whyNotRedrivable,
      error,
      cause,
    },
  };
}
