import type { ToolDefinition } from '../records/message.ts';

/**
 * The searches that a provider with a tool of its own makes for one request at most, and that a budget has to have room
 * for. With OpenAI the pages that it opens are among them.
 */
export const MOST_SEARCHES = 5;

/** The searches that the provider may make for one request with these tools. */
export function mostSearches(tools: readonly ToolDefinition[]): number {
  return tools.some(({ byProvider }) => byProvider) ? MOST_SEARCHES : 0;
}
