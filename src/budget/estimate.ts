import type { ModelRequest } from '../models/model.ts';

/**
 * Tokens that a prompt can come to at most. Byte-level tokenizers never make more tokens than there are bytes of
 * UTF-8, so bytes are a ceiling for what is new; what was sent before is known from what the provider counted. Around
 * that, providers add a few tokens for each message and a preamble where tools are offered.
 */
const TOKENS_AROUND_MESSAGE = 16;
const TOKENS_AROUND_TOOLS = 1_024;

/** What the provider counted for the turn before: its prompt and its answer, which both are in the next prompt. */
export interface Counted {
  tokens: number;
  /** How many messages of the next request they were, the answer among them. */
  messages: number;
}

export function promptTokensAtMost(request: ModelRequest, counted: Counted | undefined): number {
  const added = request.messages.slice(counted?.messages ?? 0);
  const bytes = Buffer.byteLength(JSON.stringify(added)) + added.length * TOKENS_AROUND_MESSAGE;
  if (counted !== undefined) return counted.tokens + bytes;
  const fixed = Buffer.byteLength(request.system) + Buffer.byteLength(JSON.stringify(request.tools));
  return bytes + fixed + (request.tools.length > 0 ? TOKENS_AROUND_TOOLS : 0);
}
