import { isJsonObject, type Json, parseJson } from '../../json.ts';
import type { FunctionAnswer } from '../../places/testing/virtual-machines.ts';
import type { Attempt } from './execution-history.ts';

/** Never comes. */
export const NEVER = new Promise<FunctionAnswer>(() => {});

/** The answer to an invocation, after as long as it took then. */
export async function answerOf(
  attempt: Attempt,
  later: (ms: number) => Promise<void>,
): Promise<FunctionAnswer> {
  const { functionName, ms } = attempt;
  const end = functionName === undefined ? endOfStarted(attempt) : attempt.end;
  if (end === undefined) return NEVER;
  await later(ms);
  if ('output' in end)
    return { payload: functionName === undefined ? outputOf(end.output) : payloadOf(end.output) };
  const { error, cause } = functionName === undefined ? failureOf(end) : end;
  const [, exception] = /^Lambda\.(\w+)$/.exec(error) ?? [];
  if (exception !== undefined && exception !== 'Unknown') {
    return { refused: exception, cause };
  }
  return { payload: failurePayload(error, cause), functionError: 'Unhandled' };
}

/** An Express execution that has failed, or ran out of time, is an answer like any other. */
function endOfStarted({ end }: Attempt): Attempt['end'] {
  const described = end !== undefined && 'output' in end ? end.output : undefined;
  if (described === undefined || !isJsonObject(described)) return end;
  const { Status: status, Error: error, Cause: cause } = described;
  if (status === 'TIMED_OUT') return undefined;
  if (status !== 'FAILED') return end;
  return { error: textOf(error), cause: textOf(cause) };
}

/** How an execution ended, as its caller was told: as a value or as a JSON text. */
function outputOf(described: Json): Json {
  const output = isJsonObject(described) ? (described['Output'] ?? null) : null;
  return typeof output === 'string' ? (parsed(output) ?? output) : output;
}

function failureOf(told: { error: string; cause: string }): { error: string; cause: string } {
  const described = parsed(told.cause);
  if (described === undefined || !isJsonObject(described)) return told;
  const { Error: error, Cause: cause } = described;
  return { error: textOf(error) || told.error, cause: textOf(cause) };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A function's payload in the whole answer of its invocation. */
export function payloadOf(output: Json): Json {
  const isWhole = isJsonObject(output) && 'StatusCode' in output;
  return isWhole ? (output['Payload'] ?? null) : output;
}

/** As Lambda has it, which the cause is the text of. */
function failurePayload(errorType: string, cause: string): Json {
  const payload = parsed(cause);
  return payload !== undefined && isJsonObject(payload) ? payload : { errorType, errorMessage: cause };
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
