import type { Json } from '../json.ts';

/** The most events that an execution may have; the last one tells of it. */
export const MAX_EVENTS = 25_000;

/** What an event tells beside its type. Values are kept as they are and become JSON text when they are read. */
export interface EventDetails {
  name?: string;
  index?: number;
  length?: number;
  input?: Json;
  output?: Json;
  parameters?: Json;
  assignedVariables?: { [name: string]: Json };
  error?: string | undefined;
  cause?: string | undefined;
  location?: string | undefined;
  state?: string;
  resource?: string;
  resourceType?: string;
  region?: string;
  roleArn?: string;
  timeoutInSeconds?: number | undefined;
  heartbeatInSeconds?: number | undefined;
}

export interface HistoryEvent {
  id: number;
  previousEventId: number;
  /** Milliseconds since the epoch. */
  timestamp: number;
  type: string;
  details: EventDetails | undefined;
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
export function renderEvent(event: HistoryEvent, includeExecutionData = true): RenderedEvent {
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
