import type { Message, ToolCall } from '../runs/message.ts';

/** A turn of a conversation with each call beside its result, so that a wire format cannot part them. */
export type PairedTurn =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: AnsweredCall[]; providerContent?: unknown };

export interface AnsweredCall extends ToolCall {
  result: { text: string; isError: boolean };
}

/**
 * Puts the results of each answer beside its calls, in call order. Providers refuse a whole conversation for one call
 * without a result, one result without a call, or an id that is used again in a later answer; so what is missing is
 * said to be missing, what answers no call is left out, and an id that was used before gets a suffix.
 * @param wireId makes an id acceptable to the provider
 */
export function pairCalls(
  messages: readonly Message[],
  wireId: (id: string) => string = (id) => id,
): PairedTurn[] {
  const used = new Set<string>();
  return messages.flatMap((message, index): PairedTurn[] => {
    if (message.role === 'user') return [message];
    if (message.role === 'tool') return [];
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? [...next.results] : [];
    const calls = message.calls.map((call) => {
      const found = results.findIndex(({ callId }) => callId === call.id);
      const [result] = found === -1 ? [MISSING] : results.splice(found, 1);
      const { text, isError } = result ?? MISSING;
      return { ...call, id: unused(wireId(call.id), used), result: { text, isError } };
    });
    return [{ ...message, calls }];
  });
}

const MISSING = { text: 'Error: this call has no result', isError: true };

function unused(id: string, used: Set<string>): string {
  let candidate = id;
  for (let count = 2; used.has(candidate); count++) candidate = `${id}_${count}`;
  used.add(candidate);
  return candidate;
}
