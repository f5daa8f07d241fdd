import { onTestFinished, vi } from 'vitest';
import type { Model, ModelRequest } from '../../src/core/model/model.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import { STREAMED, STREAMED_CHAT } from './requests.ts';

/** A way in which a provider's answers are written. */
export interface Wire {
  /** `provider/model-name`. */
  model: string;
  /** The parts of the request beside its prompt. */
  request?: Partial<ModelRequest>;
  /** How a body asks for a stream. */
  asking: object;
  /** An answer that says "Done." */
  plain: object;
  /** An answer without anything in it. */
  empty: object;
  /** An answer that is shaped as none is. */
  odd: object;
  /** How an answer counts 900 tokens of a prompt, 200 of them from a cache where it tells, and 50 of its own. */
  usage: object;
  counted: { inputTokens: number; outputTokens: number; cacheReadTokens?: number; cacheWriteTokens?: number };
}

export const WIRES: Readonly<Record<string, Wire>> = {
  anthropic: {
    model: 'anthropic/claude-sonnet-4-5',
    asking: STREAMED,
    plain: { content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' },
    empty: { content: [] },
    odd: { content: [{ type: 'tool_use', id: 'a', input: {} }] },
    usage: { usage: { input_tokens: 700, cache_read_input_tokens: 200, output_tokens: 50 } },
    counted: { inputTokens: 900, outputTokens: 50, cacheReadTokens: 200, cacheWriteTokens: 0 },
  },
  bedrock: {
    model: 'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    asking: {},
    plain: {
      output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } },
      stopReason: 'end_turn',
    },
    empty: { output: { message: { role: 'assistant', content: [] } } },
    odd: {
      output: { message: { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', input: {} } }] } },
    },
    usage: { usage: { inputTokens: 700, cacheReadInputTokens: 200, outputTokens: 50, totalTokens: 950 } },
    counted: { inputTokens: 900, outputTokens: 50, cacheReadTokens: 200, cacheWriteTokens: 0 },
  },
  ollama: {
    model: 'ollama/qwen3',
    asking: STREAMED,
    plain: { message: { role: 'assistant', content: 'Done.' }, done_reason: 'stop' },
    empty: { message: { role: 'assistant', content: '' } },
    odd: { message: { role: 'assistant', tool_calls: [{ function: { arguments: {} } }] } },
    usage: { prompt_eval_count: 900, eval_count: 50 },
    counted: { inputTokens: 900, outputTokens: 50 },
  },
  'openai chat': {
    model: 'openai/gpt-4o',
    asking: STREAMED_CHAT,
    request: { api: 'chat' },
    plain: { choices: [{ message: { content: 'Done.' }, finish_reason: 'stop' }] },
    empty: { choices: [] },
    odd: { choices: [{ message: { tool_calls: [{ type: 'function', function: { arguments: '{}' } }] } }] },
    usage: {
      usage: { prompt_tokens: 900, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 200 } },
    },
    counted: { inputTokens: 900, outputTokens: 50, cacheReadTokens: 200, cacheWriteTokens: 0 },
  },
  'openai responses': {
    model: 'openai/gpt-5',
    asking: STREAMED,
    request: { api: 'responses' },
    plain: {
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Done.' }] }],
    },
    empty: { output: [] },
    odd: { status: 'completed', output: [{ type: 'function_call', call_id: 'a', arguments: '{}' }] },
    usage: { usage: { input_tokens: 900, output_tokens: 50, input_tokens_details: { cached_tokens: 200 } } },
    counted: { inputTokens: 900, outputTokens: 50, cacheReadTokens: 200, cacheWriteTokens: 0 },
  },
};

/** The model of a wire, at a server that is there. */
export function modelAt(
  baseUrl: string,
  { model }: Wire,
  strictRoles = false,
): Promise<{ model: Model; name: string }> {
  stubAws();
  return modelFor(model, {
    apiKey: () => 'a-key',
    baseUrl: () => baseUrl,
    settings: () => ({ strictRoles }),
    fetch,
    scripted: createOfflineModel,
  });
}

/** What the AWS SDK finds, and nothing of the machine's own. */
export function stubAws(): void {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDTEST');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret-of-the-test');
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK', 'AWS_DEFAULT_REGION']) {
    vi.stubEnv(name, undefined);
  }
}
