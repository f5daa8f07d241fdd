import type { ToolDefinition } from '../records/message.ts';

/** Of a provider that searches the web with a tool of its own: the most for one request. */
export const MOST_SEARCHES = 5;

/** The most searches that the provider makes for one request with these tools. */
export function mostSearches(tools: readonly ToolDefinition[]): number {
  return tools.some(({ byProvider }) => byProvider) ? MOST_SEARCHES : 0;
}
