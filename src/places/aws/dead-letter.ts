import * as v from 'valibot';
import { nameInArn } from '../../arn.ts';
import { runOfExecution } from '../../core/records/run-id.ts';
import type { JsonObject } from '../../json.ts';
import type { DeadLetter } from '../dead-letters.ts';

/** A message as SQS gives it. */
export interface QueuedMessage {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  body: string;
  /** The attributes that EventBridge and its Scheduler add. */
  attributes: Readonly<Record<string, string>>;
}

/** Lambda's record of an invocation that nothing waited for and that failed for good. */
const FailedInvocation = v.object({
  requestContext: v.object({ functionArn: v.string(), condition: v.optional(v.string(), '') }),
  requestPayload: v.unknown(),
  responsePayload: v.nullish(v.object({ errorMessage: v.optional(v.string(), '') })),
});

const Execution = v.object({
  detail: v.object({
    executionArn: v.string(),
    name: v.optional(v.string()),
    status: v.optional(v.string()),
  }),
});
const Answered = v.object({ answered: v.object({ run: v.string() }) });
const Killed = v.object({ kill: v.object({ run: v.string() }) });
const Written = v.object({ written: v.object({ run: v.string() }) });
const Tick = v.object({ agent: v.string(), prompt: v.string(), time: v.string(), prefix: v.string() });
const Start = v.object({ agent: v.string(), prompt: v.string() });
/** The parameters of the operation that Scheduler calls, where it tells those. */
const Wrapped = v.object({ Input: v.pipe(v.string(), v.parseJson()) });

/** @param machine the ARN of the machine that carries runs; that of schedules has the same with an ending */
export function readDeadLetter(message: QueuedMessage, machine: string): DeadLetter {
  const { id, at, attributes } = message;
  const body = parsed(message.body);
  const failed = v.safeParse(FailedInvocation, body);
  if (failed.success) {
    const { requestContext, requestPayload: event, responsePayload } = failed.output;
    const why = responsePayload?.errorMessage || requestContext.condition || UNKNOWN;
    const again = { function: withoutVersion(requestContext.functionArn), event };
    return { id, at, why, ...aboutEvent(event, requestContext.functionArn), again };
  }
  const { TARGET_ARN: target = '', ERROR_CODE: code = '', ERROR_MESSAGE: reason = '' } = attributes;
  const why = [code, reason].filter((part) => part !== '').join(': ') || UNKNOWN;
  const unwrapped = v.safeParse(Wrapped, body);
  const given = unwrapped.success ? unwrapped.output.Input : body;
  const tick = v.safeParse(Tick, given);
  if (tick.success) {
    const { agent, time } = tick.output;
    const again = { machine: `${machine}-schedule`, input: given };
    return { id, at, why, what: `the schedule of agent "${agent}" started nothing at ${time}`, again };
  }
  const start = v.safeParse(Start, given);
  if (start.success) {
    const what = `an event did not start agent "${start.output.agent}"`;
    return { id, at, why, what, again: { machine, input: given } };
  }
  if (target.includes(':function:')) {
    return {
      id,
      at,
      why,
      ...aboutEvent(given, target),
      again: { function: withoutVersion(target), event: given },
    };
  }
  return { id, at, why, what: `an event for ${nameInArn(target) || 'an unknown target'} was not delivered` };
}

const UNKNOWN = 'unknown';

function aboutEvent(event: unknown, target: string): { what: string; run?: string } {
  const answered = v.safeParse(Answered, event);
  if (answered.success)
    return { what: 'an answer did not reach its agent', run: answered.output.answered.run };
  const killed = v.safeParse(Killed, event);
  if (killed.success) return { what: 'an agent was not ended', run: killed.output.kill.run };
  const written = v.safeParse(Written, event);
  if (written.success) return { what: 'a message did not reach its agent', run: written.output.written.run };
  const ended = v.safeParse(Execution, event);
  if (!ended.success)
    return { what: `${nameInArn(withoutVersion(target))} did not do what it was asked for` };
  const { name, executionArn, status = 'an end' } = ended.output.detail;
  const run = runOfExecution(name ?? nameInArn(executionArn));
  return { what: `${status} of an execution was not written down`, run };
}

/** `arn:aws:lambda:…:function:name:$LATEST` names a version too. */
function withoutVersion(functionArn: string): string {
  return functionArn.split(':').slice(0, 7).join(':');
}

function parsed(body: string): JsonObject | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.any())), body);
  return read.success ? read.output : undefined;
}
