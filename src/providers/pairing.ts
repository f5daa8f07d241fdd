import type { Said } from '../core/records/attachment.ts';
import type { Message, ToolCall, UserMessage } from '../core/records/message.ts';
import { defined } from '../defined.ts';

/** A turn of a conversation with each call beside its result, so that a wire format cannot part them. */
export type PairedTurn =
  | UserMessage
  /** `text` is "" where the answer has none; there are calls then. */
  | { role: 'assistant'; text: string; calls: AnsweredCall[]; providerContent?: unknown };

export interface AnsweredCall extends ToolCall {
  /** `text` is never blank. */
  result: Said & { isError: boolean };
}

/**
 * Puts the results of each answer beside its calls, in call order. Providers refuse a whole conversation for one call
 * without a result, one result without a call, an id that is used again in a later answer, a name that no tool can have,
 * as models make them up (`multi_tool_use.parallel`), or a blank text; so a missing result is said to be missing, words
 * stand for a blank text, a result without a call is left out, an id that was used before gets a suffix, other characters of
 * a name become "_", and an answer with neither text nor calls is left out, which can bring two user turns together.
 * @param wireId makes an id acceptable to the provider
 */
export function pairCalls(
  messages: readonly Message[],
  wireId: (id: string) => string = (id) => id,
): PairedTurn[] {
  const used = new Set<string>();
  return messages.flatMap((message, index): PairedTurn[] => {
    if (message.role === 'user')
      return [isBlank(message.text) ? { ...message, text: '[Attached]' } : message];
    if (message.role === 'tool') return [];
    if (isBlank(message.text) && message.calls.length === 0) return [];
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? [...next.results] : [];
    const calls = message.calls.map((call) => {
      const found = results.findIndex(({ callId }) => callId === call.id);
      const [result] = found === -1 ? [MISSING] : results.splice(found, 1);
      const { text, isError, attachments }: AnsweredCall['result'] = result ?? MISSING;
      return {
        ...call,
        id: unused(wireId(call.id), used),
        name: call.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MOST_OF_NAME) || 'unknown',
        result: { text: isBlank(text) ? '(empty)' : text, isError, ...defined({ attachments }) },
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
    const whole = turn.role === 'user' && before && appended(before, turn, strictRoles);
    if (whole) joined[joined.length - 1] = whole;
    else joined.push(turn);
  }
  return joined;
}

/** The turn with a user's message at its end; undefined where that needs a turn of its own. */
function appended(turn: PairedTurn, said: UserMessage, strictRoles: boolean): PairedTurn | undefined {
  const { text, attachments = [] } = said;
  if (turn.role === 'user') {
    const all = [...(turn.attachments ?? []), ...attachments];
    return { ...turn, text: `${turn.text}\n\n${text}`, ...(all.length > 0 && { attachments: all }) };
  }
  const last = turn.calls.at(-1);
  if (!strictRoles || last === undefined || attachments.length > 0) return undefined;
  const result = { ...last.result, text: `${last.result.text}\n\n${text}` };
  return { ...turn, calls: [...turn.calls.slice(0, -1), { ...last, result }] };
}

/**
 * What is attached to results in a user's message after them, for formats in which a result is a text.
 * @param strictRoles whether the server takes no such message: then words stand for what is attached
 */
export function attachedAfter(turns: readonly PairedTurn[], strictRoles = false): PairedTurn[] {
  return turns.flatMap((turn): PairedTurn[] => {
    if (turn.role === 'user') return [turn];
    const attached = turn.calls.filter(({ result }) => (result.attachments ?? []).length > 0);
    if (attached.length === 0) return [turn];
    const calls = turn.calls.map((call) => {
      const { text, isError, attachments = [] } = call.result;
      const words = strictRoles
        ? attachments.map((one) => `[${one.type}, which this server is not shown]`)
        : [];
      return { ...call, result: { text: [text, ...words].join('\n\n'), isError } };
    });
    if (strictRoles) return [{ ...turn, calls }];
    const names = attached.map(({ name }) => name).join(', ');
    const attachments = attached.flatMap(({ result }) => result.attachments ?? []);
    return [
      { ...turn, calls },
      { role: 'user', text: `[Attached to the results of ${names}]`, attachments },
    ];
  });
}

/** Whether a text has nothing to read in it, for which providers refuse a request. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

const MOST_OF_NAME = 64;

const MISSING = { text: 'Error: this call has no result', isError: true };

function unused(id: string, used: Set<string>): string {
  let candidate = id;
  for (let count = 2; used.has(candidate); count++) candidate = `${id}_${count}`;
  used.add(candidate);
  return candidate;
}
