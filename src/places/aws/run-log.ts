import type { Instant } from '../../core/records/times.ts';
import type { CallIdentity, RunEvent, RunIdentity } from '../../core/events/event.ts';
import { ENVIRONMENT, LOG_LEVELS, METRICS, METRICS_NAMESPACE, required, type LogLevel } from './variables.ts';
import { escapeHidden } from '../../hidden-characters.ts';
import { failureClass, treeOutcome } from './failure-class.ts';

export interface RunLogOptions {
  environment: string;
  level: LogLevel;
  /** Takes one line, its newline included. */
  write(line: string): void;
  now: () => Instant;
}

/**
 * Writes the events of runs as one line of JSON each. Numbers that are worth adding up are metrics too, in CloudWatch's
 * embedded metric format: a line and its metrics are the same bytes, and nothing else is sent.
 *
 * Each metric is charged for each combination of dimensions, so these are few: agents are those that could be loaded,
 * models those that answered, classes a short list. Texts of tasks appear at level `debug` only.
 */
export function createRunLog({ environment, level, write, now }: RunLogOptions): (event: RunEvent) => void {
  return (event) => {
    // Live only: texts of tools and models do not belong in a log.
    if (event.type === 'call_output' || event.type === 'message_delta') return;
    const { fields, metrics = [] } = toLine(event, level);
    write(lineOf(isOdd(event) ? 'WARN' : 'INFO', environment, { fields, metrics }, now()));
  };
}

/** Logs a number that belongs to no run, as a metric of the environment. */
export function logCount(name: string, count: number): void {
  const metrics = [{ dimensions: [], values: { [name]: count } }];
  writeLine(lineOf('WARN', required(ENVIRONMENT.name), { fields: {}, metrics }, Date.now()));
}

/** Logs what whoever looks after the environment should know, and no run is about. */
export function logWarning(message: string): void {
  const line = { fields: { message }, metrics: [] };
  writeLine(lineOf('WARN', required(ENVIRONMENT.name), line, Date.now()));
}

function lineOf(
  level: 'WARN' | 'INFO',
  environment: string,
  { fields, metrics }: { fields: object; metrics: readonly Metrics[] },
  timestamp: Instant,
): string {
  const line = {
    level,
    timestamp: new Date(timestamp).toISOString(),
    environment,
    ...fields,
    ...Object.fromEntries(metrics.flatMap(({ values }) => Object.entries(values))),
    ...(metrics.length > 0 && { _aws: embeddedMetrics(metrics, timestamp) }),
  };
  return `${escapeHidden(JSON.stringify(line))}\n`;
}

/** The log of a deployed function, as its environment says. */
export function functionRunLog(): (event: RunEvent) => void {
  const wanted = required(ENVIRONMENT.logLevel);
  const level = LOG_LEVELS.find((known) => known === wanted);
  if (level === undefined) throw new TypeError(`${ENVIRONMENT.logLevel} is "${wanted}", not a log level`);
  return createRunLog({
    environment: required(ENVIRONMENT.name),
    level,
    write: writeLine,
    now: Date.now,
  });
}

/** Not the console, which puts its own words before each line and makes it no JSON. */
function writeLine(line: string): void {
  process.stdout.write(line);
}

function isOdd(event: RunEvent): boolean {
  return event.type === 'warning' || (event.type === 'run_closed' && event.error !== '');
}

interface Metrics {
  /** Fields of the line by which the values are added up. */
  dimensions: string[];
  values: Record<string, number>;
}

/** Fields whose names end so are durations. */
const MILLISECONDS = /Ms$/;

type LoggedEvent = Exclude<RunEvent, { type: 'call_output' | 'message_delta' }>;

function toLine(event: LoggedEvent, level: LogLevel): { fields: object; metrics?: Metrics[] } {
  const { type, run, root, agent, model, depth } = event;
  const fields = { event: type, run, root, agent, depth, model };
  switch (event.type) {
    case 'run_opened': {
      const { parent, derivedBy, task } = event;
      const asked = parent && { parent: parent.run, parentTurn: parent.turn, parentCall: parent.call };
      return {
        fields: {
          ...fields,
          ...agentFields(event),
          ...asked,
          ...(derivedBy !== undefined && { derivedBy }),
          ...(level === 'debug' && { task }),
        },
      };
    }
    case 'turn_started':
      return { fields: { ...fields, turn: event.turn, messages: event.messages } };
    case 'turn_waiting': {
      const { turn, delayMs, reason } = event;
      return { fields: { ...fields, turn, delayMs, reason } };
    }
    case 'warning':
      return { fields: { ...fields, message: event.message } };
    case 'turn_finished': {
      const { turn, stopReason, latencyMs, usage } = event;
      return {
        fields: { ...fields, turn, stopReason },
        metrics: [{ dimensions: ['agent', 'model'], values: { ...usage, latencyMs } }],
      };
    }
    case 'skill_loaded':
    case 'context_discovered':
      return { fields };
    case 'call_started':
      return { fields: { ...fields, ...toolFields(event) } };
    case 'call_finished': {
      const { failure, durationMs } = event;
      const dimensions = failure === undefined ? ['tool'] : ['tool', 'class'];
      const values = failure === undefined ? { toolCalls: 1, durationMs } : { toolFailures: 1, durationMs };
      return {
        fields: { ...fields, ...toolFields(event), ...(failure !== undefined && { class: failure }) },
        metrics: [{ dimensions, values }],
      };
    }
    case 'question_asked':
    case 'question_answered':
      return { fields: { ...fields, turn: event.turn, call: event.call } };
    case 'run_closed': {
      const { status, error, reason, durationMs } = event;
      // A fork that rests has not failed.
      if (status === 'idle') return { fields: { ...fields, status, durationMs } };
      // A run that could not be opened has whatever name its caller asked for, and the number of such names has no
      // limit.
      const dimensions = model === '' ? [] : ['agent'];
      const tree = run === root ? [{ dimensions: ['outcome'], values: { [METRICS.trees]: 1 } }] : [];
      const outcome = run === root ? { outcome: treeOutcome(status, error) } : {};
      if (status === 'succeeded' || status === 'budget_exceeded') {
        const ended = status === 'succeeded' ? { runs: 1 } : { budgetStops: 1 };
        return {
          fields: { ...fields, status, ...(reason !== '' && { reason }), ...outcome },
          metrics: [{ dimensions, values: { ...ended, durationMs } }, ...tree],
        };
      }
      return {
        fields: {
          ...fields,
          status,
          error,
          reason,
          class: failureClass(error, reason),
          durationMs,
          ...outcome,
        },
        metrics: [{ dimensions: [...dimensions, 'class'], values: { failures: 1 } }, ...tree],
      };
    }
  }
}

/** Names as OpenTelemetry has them for generative AI. */
function agentFields({ agent }: RunIdentity) {
  return { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent };
}

/** Names as OpenTelemetry has them for generative AI, beside ours. The subject of a call may be confidential. */
function toolFields({ turn, call, tool }: CallIdentity) {
  return { turn, call, tool, 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool };
}

function embeddedMetrics(metrics: readonly Metrics[], timestamp: number) {
  return {
    Timestamp: timestamp,
    CloudWatchMetrics: metrics.map(({ dimensions, values }) => ({
      Namespace: METRICS_NAMESPACE,
      Dimensions: [['environment', ...dimensions]],
      Metrics: Object.keys(values).map((Name) => ({
        Name,
        Unit: MILLISECONDS.test(Name) ? 'Milliseconds' : 'Count',
      })),
    })),
  };
}
