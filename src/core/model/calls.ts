import { isNested, isShallow } from '../../json.ts';
import type { StopReason, ToolCall } from '../records/message.ts';

/** A tool call as a provider wrote it. */
interface WrittenCall {
  id?: string | null | undefined;
  name: string;
  arguments?: unknown;
}

/**
 * The calls of one answer; an id that is missing, or used before in it, becomes `<provider>_<index>`.
 * A call is cut if its arguments are something other than a JSON object: without them, it would do something else.
 * @param endsInCall whether the answer ended early in its last call, which is then cut, unless it is complete JSON text
 */
export function toCalls(provider: string, written: readonly WrittenCall[], endsInCall: boolean): ToolCall[] {
  const used = new Set<string>();
  return written.map((call, index) => {
    let id = call.id ?? '';
    if (id === '' || used.has(id)) id = `${provider}_${index}`;
    while (used.has(id)) id += '_';
    used.add(id);
    const isLast = endsInCall && index === written.length - 1;
    const given = toArguments(call.arguments);
    const cut = given === undefined || (isLast && !isWholeJson(call.arguments));
    return { id, name: call.name, arguments: given ?? {}, ...(cut && { cut }) };
  });
}

/** Whether an answer may have ended in the middle of a call: at its limit of tokens, or because it was refused. */
export function endsEarly(reason: StopReason | undefined): boolean {
  return reason === 'max_tokens' || reason === 'refusal';
}

/** An object that was read from a part of JSON shows nothing of it. */
function isWholeJson(written: unknown): boolean {
  return typeof written === 'string' && parsed(written) !== undefined;
}

/** Arguments as an object, or as JSON text of one, or none at all; undefined for anything else, such as too deep JSON. */
function toArguments(written: unknown): Record<string, unknown> | undefined {
  const value = typeof written === 'string' ? parsed(written.trim() || '{}') : (written ?? {});
  if (value === null) return {};
  return isRecord(value) && isShallow(value) ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isNested(value) && !Array.isArray(value);
}
