/**
 * The prices of a search that a model's provider makes with its own tool, in billionths of a dollar, beside those of the
 * tokens. As of 2026-11-26.
 *
 * - Anthropic: $10 for 1,000 searches (https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool)
 * - OpenAI: $10 for 1,000 calls (https://developers.openai.com/api/docs/pricing)
 */
const SEARCH_NANO_USD: ReadonlyMap<string, number> = new Map([
  ['anthropic', 10_000_000],
  ['openai', 10_000_000],
]);

/** @param model `provider/model-name` */
export function searchNanoUsd(model: string): number {
  return SEARCH_NANO_USD.get(model.slice(0, model.indexOf('/'))) ?? 0;
}
