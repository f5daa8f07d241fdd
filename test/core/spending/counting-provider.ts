import { onTestFinished } from 'vitest';
import * as v from 'valibot';
import { startModelServer, type ModelServer } from '../../fixtures/model-server.ts';
import type { Encode } from '../../fixtures/tokenizers.ts';

/**
 * A server of OpenAI's Chat Completions on loopback that counts as OpenAI does: with a real tokenizer, and a few tokens
 * around each message. It calls each agent on offer once, and then says what it has to say, as far as it may.
 */
export async function startCountingProvider(encode: Encode, answer: string): Promise<ModelServer> {
  const server = await startModelServer(({ body }) => {
    const request = v.parse(ChatRequest, body);
    const asked = request.messages.some(({ role }) => role === 'tool');
    const calls = request.tools.length > 0 && !asked ? [CALL] : [];
    const text = calls.length > 0 ? '' : answer;
    const written = encode(text + calls.map((call) => JSON.stringify(call.function)).join('')).length + 3;
    const limit = request.max_completion_tokens ?? request.max_tokens ?? Infinity;
    const cut = written > limit;
    return {
      body: {
        choices: [
          {
            message: { content: cut ? text.slice(0, 10) : text, tool_calls: cut ? [] : calls },
            finish_reason: cut ? 'length' : 'stop',
          },
        ],
        usage: {
          prompt_tokens: promptTokens(request, encode),
          completion_tokens: Math.min(written, limit),
        },
      },
    };
  });
  onTestFinished(() => server.close());
  return server;
}

const CALL = {
  id: 'call_nE4zqGm0TqHaVw1b7k3sYxRd',
  type: 'function',
  function: { name: 'call_agent', arguments: JSON.stringify({ agent: 'kid', task: 'Look into this.' }) },
};

/** As OpenAI's cookbook has it: three tokens for each message and for the answer's beginning. */
function promptTokens({ messages, tools }: v.InferOutput<typeof ChatRequest>, encode: Encode): number {
  const texts = messages.flatMap(({ role, content, tool_calls }) => [
    role,
    content ?? '',
    ...tool_calls.map((call) => JSON.stringify(call)),
  ]);
  const definitions = tools.map((tool) => JSON.stringify(tool));
  const tokens = [...texts, ...definitions].reduce((sum, text) => sum + encode(text).length, 0);
  return tokens + 3 * messages.length + 3 + (tools.length > 0 ? 12 : 0);
}

const ChatRequest = v.object({
  messages: v.array(
    v.object({
      role: v.string(),
      content: v.nullish(v.string()),
      tool_calls: v.optional(v.array(v.unknown()), []),
    }),
  ),
  tools: v.optional(v.array(v.unknown()), []),
  max_tokens: v.optional(v.number()),
  max_completion_tokens: v.optional(v.number()),
});
