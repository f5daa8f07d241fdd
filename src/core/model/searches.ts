import type { ToolDefinition } from '../records/message.ts';

/**
 * The searches for one request that a budget has to have room for, where a provider searches the web with a tool of its
 * own. Anthropic is told to make no more; OpenAI takes no such limit, and all are charged.
 */
export const MOST_SEARCHES = 5;

/** The searches that the provider may make for one request with these tools. */
export function mostSearches(tools: readonly ToolDefinition[]): number {
  return tools.some(({ byProvider }) => byProvider) ? MOST_SEARCHES : 0;
}
