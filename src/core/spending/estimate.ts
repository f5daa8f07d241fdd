import type { ModelRequest } from '../model/model.ts';
import { attachedTokens } from '../attachments/attached-tokens.ts';
import { textsOf } from '../records/message-texts.ts';
import type { Tokenizer } from './tokenizer.ts';
import { tokensAtMost } from './tokens.ts';

/** The provider's count for the previous turn: its prompt and its answer, both part of the next prompt. */
export interface Counted {
  tokens: number;
  /** How many messages of the next request they make up, including the answer. */
  messages: number;
}

/** Providers put a few tokens around each message, call and result. */
const TOKENS_AROUND_PART = 8;

/**
 * The most tokens that a prompt can have. The provider has counted the earlier part, so only the new one is estimated.
 */
export function promptTokensAtMost(
  request: ModelRequest,
  tokenizer: Tokenizer,
  counted: Counted | undefined,
): number {
  const messages = request.messages.slice(counted?.messages ?? 0);
  const added = messages.flatMap(textsOf);
  const sum = (texts: readonly string[]) =>
    texts.reduce((total, text) => total + tokensAtMost(text, tokenizer) + TOKENS_AROUND_PART, 0);
  const attached = attachedTokens(messages, request.showing);
  if (counted !== undefined) return counted.tokens + sum(added) + attached;
  // A provider puts a schema into words of its own, as it does with tools.
  const { tools: offered, outputSchema } = request;
  const tools = [...offered, ...(outputSchema === undefined ? [] : [outputSchema])].map((one) =>
    JSON.stringify(one),
  );
  const { conversation, tools: offering } = tokenizer.around;
  const texts = sum([request.system, ...tools, ...added]);
  return conversation + texts + attached + (tools.length > 0 ? offering : 0);
}
