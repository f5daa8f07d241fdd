/** The facts about a model's tokenizer that an estimate needs. */
export interface Tokenizer {
  /** Tokens for each known fragment, including a margin. */
  perFragment: number;
  /** How many digits one token has. */
  digitsPerToken: number;
  /** The most bytes of UTF-8 that a token has on average, in any text. */
  mostBytes: number;
  /** The tokens that a provider puts around the whole conversation, and around tools if there are any. */
  around: { conversation: number; tools: number };
}

/** Those of OpenAI's models since GPT-3.5 and of Llama 3, which test/core/spending checks the estimate against. */
const KNOWN: Tokenizer = {
  perFragment: 1.05,
  digitsPerToken: 3,
  mostBytes: Infinity,
  around: { conversation: 64, tools: 256 },
};

/**
 * Of all other makers. Most have as large a vocabulary as the known ones and come to about the same; this covers those
 * of 32,000 tokens, as of the first Mistral models, and Anthropic's newest, which comes to a third more than those
 * before.
 */
const UNKNOWN: Tokenizer = {
  perFragment: 1.75,
  digitsPerToken: 1,
  // The estimate where a provider counts nothing: see src/core/model/estimate.ts.
  mostBytes: 4,
  around: { conversation: 128, tools: 1_024 },
};

/** @param model `provider/model-name` */
export function tokenizerOf(model: string): Tokenizer {
  return KNOWN_MODELS.test(model) ? KNOWN : UNKNOWN;
}

/** By the models' own names, wherever they are served from. */
const KNOWN_MODELS = /[/.:](chatgpt-4o|gpt-(3\.5|4o?|5)|o[134])(?![a-z0-9])|[/.:]llama-?3(?!\d)/i;
