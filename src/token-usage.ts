/**
 * The ways in which providers serve a request besides the usual one: `batch` for half the price, within a day; `flex` and
 * `priority` as OpenAI has them.
 */
export const SERVICES = ['batch', 'flex', 'priority'] as const;
export type Service = (typeof SERVICES)[number];

/** As files and callers name them, with the usual one. */
export const SERVICE_WORDS = [...SERVICES, 'standard'] as const;
export type ServiceWord = (typeof SERVICE_WORDS)[number];

/** The tokens that one request to a model took, as its provider counted them. */
export interface TokenUsage {
  /** The whole prompt, including what was read from a cache or written to one, however the provider counts. */
  inputTokens: number;
  /** Including the model's reasoning. */
  outputTokens: number;
  /** Of the prompt: read from the provider's cache. Absent: none, or not known. */
  cacheReadTokens?: number;
  /** Of the prompt: written to the provider's cache. Absent: none, or not known. */
  cacheWriteTokens?: number;
  /** Of those written: the ones that are kept for an hour, at a price of their own. Absent: none. */
  cacheWrite1hTokens?: number;
  /** Searches of the web that the provider made on the way, which have a price of their own. Absent: none. */
  searches?: number;
  /** How the request was served, which decides what it costs. Absent: as usual. */
  service?: Service;
  /** Whether a count is our own, for a provider that gave none. Budgets are charged what was reserved then. */
  isEstimate?: true;
}
