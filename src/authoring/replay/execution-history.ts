import * as v from 'valibot';
import { ConfigError } from '../../errors.ts';
import { parseJson, type Json } from '../../json.ts';
import { ServiceEvent, isEnd } from '../verify/history.ts';

/** A history of an execution as GetExecutionHistory gives it, and the inputs and results of its tasks. */
export interface ExecutionHistory {
  events: ServiceEvent[];
  input: Json;
  /** Milliseconds since 1970. */
  startedAt: number;
  attempts: Attempt[];
  end: ServiceEvent;
  /** How long it took. */
  endedMs: number;
  /** Absent: it did not succeed. */
  output?: Json;
}

/** One attempt at a task. */
export interface Attempt {
  state: string;
  /** The function that was invoked; undefined where an execution was started. */
  functionName: string | undefined;
  given: Json;
  /** A function's answer after which its state waited for a token. */
  submitted?: Json;
  /** Absent: it timed out, or was given up. */
  end?: { output: Json } | { error: string; cause: string };
  /** How long it took until it was submitted, and until it ended. */
  submittedMs: number;
  ms: number;
}

const Failed = v.object({ error: v.optional(v.string(), ''), cause: v.optional(v.string(), '') });
const Output = v.object({ output: v.optional(v.string(), 'null') });
const Time = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform((at) => (typeof at === 'number' ? at * 1000 : Date.parse(at))),
  v.number(),
);

/** The other parts of an event that are read here. */
const Detailed = v.object({
  ...ServiceEvent.entries,
  timestamp: Time,
  taskScheduledEventDetails: v.optional(
    v.object({ resourceType: v.string(), resource: v.string(), parameters: v.string() }),
  ),
  lambdaFunctionScheduledEventDetails: v.optional(
    v.object({ resource: v.string(), input: v.optional(v.string(), 'null') }),
  ),
  taskSubmittedEventDetails: v.optional(Output),
  taskSucceededEventDetails: v.optional(Output),
  lambdaFunctionSucceededEventDetails: v.optional(Output),
  taskFailedEventDetails: v.optional(Failed),
  taskStartFailedEventDetails: v.optional(Failed),
  taskSubmitFailedEventDetails: v.optional(Failed),
  lambdaFunctionFailedEventDetails: v.optional(Failed),
  executionSucceededEventDetails: v.optional(Output),
});
type Detailed = v.InferOutput<typeof Detailed>;

const History = v.object({ events: v.array(Detailed), nextToken: v.nullish(v.string()) });

/**
 * Reads a history.
 * @param path for messages
 * @throws {ConfigError} if it is none, or cannot be replayed
 */
export function readHistory(text: string, path: string): ExecutionHistory {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), History), text);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const where = v.getDotPath(issue) ?? '';
    throw new ConfigError(
      `${path} is not an execution history${where === '' ? '' : ` (${where}: ${issue.message})`}; write one with: aws stepfunctions get-execution-history --output json`,
    );
  }
  const { events, nextToken } = parsed.output;
  const [first] = events;
  const end = events.findLast(isEnd);
  if (nextToken !== undefined && nextToken !== null)
    throw cannot(path, 'it is only a part: get all of its pages');
  if (first?.executionStartedEventDetails === undefined)
    throw cannot(path, 'it does not begin with the start');
  if (end === undefined) throw cannot(path, 'its execution has not ended');
  if (events.some(({ type }) => type === 'ExecutionRedriven'))
    throw cannot(path, 'its execution was redriven');
  const { executionSucceededEventDetails: succeeded } = end;
  return {
    events,
    input: jsonIn(first.executionStartedEventDetails.input, path),
    startedAt: first.timestamp,
    attempts: attemptsIn(events, path),
    end,
    endedMs: end.timestamp - first.timestamp,
    ...(succeeded !== undefined && { output: jsonIn(succeeded.output, path) }),
  };
}

function cannot(path: string, why: string): ConfigError {
  return new ConfigError(`the history in ${path} cannot be replayed: ${why}`);
}

function attemptsIn(events: readonly Detailed[], path: string): Attempt[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  /** The nearest event of a kind on the way back from an event. */
  const before = (event: Detailed, isWanted: (event: Detailed) => boolean): Detailed | undefined => {
    let at: Detailed | undefined = event;
    while (at !== undefined && !isWanted(at)) {
      // Ids only fall on the way, or it would not end.
      at = at.previousEventId < at.id ? byId.get(at.previousEventId) : undefined;
    }
    return at;
  };
  const isScheduled = ({ type }: Detailed) => /^(Task|LambdaFunction)Scheduled$/.test(type);
  const attempts = new Map<number, Attempt & { at: number }>();
  for (const event of events) {
    if (isScheduled(event)) {
      const state =
        before(event, ({ type }) => type === 'TaskStateEntered')?.stateEnteredEventDetails?.name ?? '';
      attempts.set(event.id, { ...toAttempt(event, state, path), at: event.timestamp });
      continue;
    }
    if (!/^(Task|LambdaFunction)(Submitted|Succeeded|.*Failed)$/.test(event.type)) continue;
    const attempt = attempts.get(before(event, isScheduled)?.id ?? 0);
    if (attempt === undefined) continue;
    attempt.ms = event.timestamp - attempt.at;
    const output = event.taskSucceededEventDetails ?? event.lambdaFunctionSucceededEventDetails;
    const failed =
      event.taskFailedEventDetails ??
      event.taskStartFailedEventDetails ??
      event.taskSubmitFailedEventDetails ??
      event.lambdaFunctionFailedEventDetails;
    if (event.taskSubmittedEventDetails !== undefined) {
      attempt.submitted = jsonIn(event.taskSubmittedEventDetails.output, path);
      attempt.submittedMs = attempt.ms;
    }
    if (output !== undefined) attempt.end = { output: jsonIn(output.output, path) };
    if (failed !== undefined) attempt.end = failed;
  }
  return [...attempts.values()];
}

const Invocation = v.object({ FunctionName: v.string(), Payload: v.optional(v.unknown()) });
const Start = v.object({ Input: v.optional(v.unknown()) });

function toAttempt(event: Detailed, state: string, path: string): Attempt {
  const time = { submittedMs: 0, ms: 0 };
  const direct = event.lambdaFunctionScheduledEventDetails;
  if (direct !== undefined) {
    return { state, functionName: direct.resource, given: jsonIn(direct.input, path), ...time };
  }
  const { resourceType = '', resource = '', parameters = '{}' } = event.taskScheduledEventDetails ?? {};
  const given = jsonIn(parameters, path);
  if (resourceType === 'lambda') {
    const { FunctionName: functionName, Payload = {} } = v.parse(Invocation, given);
    return { state, functionName, given: v.parse(Any, Payload), ...time };
  }
  if (resourceType === 'states' && resource.startsWith('startExecution')) {
    const { Input = {} } = v.parse(Start, given);
    const input = v.parse(Any, Input);
    return {
      state,
      functionName: undefined,
      given: typeof input === 'string' ? jsonIn(input, path) : input,
      ...time,
    };
  }
  throw cannot(
    path,
    `state "${state}" uses ${resourceType}:${resource}, which the interpreter does not know`,
  );
}

/** Any value that came out of JSON. */
const Any = v.custom<Json>(() => true);

function jsonIn(text: string, path: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw cannot(path, 'it was read without the data of its events, or some of them are truncated');
  }
}
