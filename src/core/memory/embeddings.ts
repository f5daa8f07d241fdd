/** A model that turns texts into vectors: the closer two texts are in meaning, the closer their vectors. */
export interface Embeddings {
  /**
   * @param kind what the texts are: some models tell texts that are searched from queries
   * @returns a vector for each, and the tokens that were paid for
   * @throws {ModelError} if the provider's API fails
   */
  embed(
    texts: readonly string[],
    kind: 'entry' | 'query',
    signal: AbortSignal,
  ): Promise<{ vectors: number[][]; tokens: number }>;
}

/**
 * Opens the model `provider/model-name`.
 * @throws {AgentError | ConfigError | MissingKeyError} if there is no such provider, or it has no such models or no key
 */
export type OpenEmbeddings = (model: string) => Promise<Embeddings>;

/** Providers without an API for embeddings. */
const NONE: readonly string[] = ['anthropic', 'offline', 'planned', 'scripted'];

/** Whether a provider may have models for embeddings. */
export function mayEmbed(provider: string): boolean {
  return !NONE.includes(provider);
}

/**
 * Dollars for a million tokens of models that no table of `[prices]` has, as of 2026-11-26.
 *
 * - OpenAI: https://developers.openai.com/api/docs/pricing
 * - Bedrock: https://aws.amazon.com/bedrock/pricing/, in the Regions of the United States
 */
export const EMBEDDING_PRICES: ReadonlyMap<string, number> = new Map([
  ['openai/text-embedding-3-small', 0.02],
  ['openai/text-embedding-3-large', 0.13],
  ['openai/text-embedding-ada-002', 0.1],
  ['bedrock/amazon.titan-embed-text-v2:0', 0.02],
  ['bedrock/cohere.embed-english-v3', 0.1],
  ['bedrock/cohere.embed-multilingual-v3', 0.1],
]);
