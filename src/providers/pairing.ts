import type { Message, ToolCall } from '../core/records/message.ts';

/** A turn of a conversation with each call beside its result, so that a wire format cannot part them. */
export type PairedTurn =
  | { role: 'user'; text: string }
  /** `text` is "" where the answer has none; there are calls then. */
  | { role: 'assistant'; text: string; calls: AnsweredCall[]; providerContent?: unknown };

export interface AnsweredCall extends ToolCall {
  /** `text` is never blank. */
  result: { text: string; isError: boolean };
}

/**
 * Puts the results of each answer beside its calls, in call order. Providers refuse a whole conversation for one call
 * without a result, one result without a call, an id that is used again in a later answer, or a blank text; so a
 * missing result is said to be missing, a result without a call is left out, an id that was used before gets a suffix,
 * and an answer with neither text nor calls is left out, which can bring two user turns together.
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
    if (isBlank(message.text) && message.calls.length === 0) return [];
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? [...next.results] : [];
    const calls = message.calls.map((call) => {
      const found = results.findIndex(({ callId }) => callId === call.id);
      const [result] = found === -1 ? [MISSING] : results.splice(found, 1);
      const { text, isError } = result ?? MISSING;
      return {
        ...call,
        id: unused(wireId(call.id), used),
        result: { text: isBlank(text) ? '(empty)' : text, isError },
      };
    });
    return [{ ...message, text: isBlank(message.text) ? '' : message.text, calls }];
  });
}

/**
 * Merges users' messages into as few turns as possible, for formats in which a message is one text. A blank line
 * separates them.
 * @param strictRoles whether the server refuses a user's message after results: it is then appended to the last result
 */
export function joinUserTurns(turns: readonly PairedTurn[], strictRoles: boolean): PairedTurn[] {
  const joined: PairedTurn[] = [];
  for (const turn of turns) {
    const before = joined.at(-1);
    const whole = turn.role === 'user' && before && appended(before, turn.text, strictRoles);
    if (whole) joined[joined.length - 1] = whole;
    else joined.push(turn);
  }
  return joined;
}

/** The turn with a user's text at its end; undefined where the text needs a turn of its own. */
function appended(turn: PairedTurn, text: string, strictRoles: boolean): PairedTurn | undefined {
  if (turn.role === 'user') return { ...turn, text: `${turn.text}\n\n${text}` };
  const last = turn.calls.at(-1);
  if (!strictRoles || last === undefined) return undefined;
  const result = { ...last.result, text: `${last.result.text}\n\n${text}` };
  return { ...turn, calls: [...turn.calls.slice(0, -1), { ...last, result }] };
}

/** Whether a text has nothing to read in it, for which providers refuse a request. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

const MISSING = { text: 'Error: this call has no result', isError: true };

function unused(id: string, used: Set<string>): string {
  let candidate = id;
  for (let count = 2; used.has(candidate); count++) candidate = `${id}_${count}`;
  used.add(candidate);
  return candidate;
}
