import type { ModelRequest } from '../core/model/model.ts';

/**
 * The messages of a request after which what came so far is kept in a provider's cache: the newest, where the next
 * request will read it, and the user's message before it, where the request before this one ended and left its own. Two
 * are needed, as a provider looks for an older entry among the last 20 blocks before a breakpoint only, and one answer
 * may come with more calls than that. With one for the fixed part there are three; four are allowed.
 *
 * Where no tool is on offer the first answer is the last, and nobody would read what was written at a higher price.
 */
export function breakpoints<Message extends { role?: string | undefined }>(
  messages: readonly Message[],
  request: ModelRequest,
): ReadonlySet<Message> {
  if (request.tools.length === 0) return new Set();
  return new Set(messages.filter(({ role }) => role === 'user').slice(-2));
}
