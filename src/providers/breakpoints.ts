import type { ModelRequest } from '../core/model/model.ts';

/**
 * The messages of a request up to which the provider is to cache it: the newest, where the next request will read it,
 * and the user's message before it, where the previous request ended and left its own. Two are needed because a
 * provider looks for an older entry only among the last 20 blocks before a breakpoint, and one answer may come with
 * more calls than that. With one for the fixed part there are three; four are allowed.
 *
 * Where no tool is on offer the first answer is the last, and no later request would read a cache entry written at a
 * higher price. In a batch what is kept for an hour costs twice what it costs plainly, and a reader saves nearly all of
 * that: two have to come, so that only a conversation that has gone on for two answers is taken to go on for two more.
 */
export function breakpoints<Message extends { role?: string | undefined }>(
  messages: readonly Message[],
  request: ModelRequest,
): ReadonlySet<Message> {
  if (request.tools.length === 0) return new Set();
  const answers = request.messages.filter(({ role }) => role === 'assistant').length;
  if (request.service === 'batch' && answers < 2) return new Set();
  return new Set(messages.filter(({ role }) => role === 'user').slice(-2));
}
