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
  /** Searches of the web that the provider made on the way, which have a price of their own. Absent: none. */
  searches?: number;
  /** Whether a count is our own, for a provider that gave none. Budgets are charged what was reserved then. */
  isEstimate?: true;
}
