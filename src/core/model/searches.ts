import type { ToolDefinition } from '../records/message.ts';

/**
 * The most searches that a provider with its own tool makes for one request, for which a budget has to have room. With
 * OpenAI this includes the pages that it opens.
 */
export const MOST_SEARCHES = 5;

/** The searches that the provider may make for one request with these tools. */
export function mostSearches(tools: readonly ToolDefinition[]): number {
  return tools.some(({ byProvider }) => byProvider) ? MOST_SEARCHES : 0;
}
