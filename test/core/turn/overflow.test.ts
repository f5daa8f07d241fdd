import { describe, expect, test } from 'vitest';
import { isTooLong } from '../../../src/core/turn/overflow.ts';
import { ModelError } from '../../../src/errors.ts';

describe('an error of an API is about the length of a prompt', () => {
  test.each([
    ['Anthropic', 'prompt is too long: 208310 tokens > 200000 maximum'],
    [
      'Anthropic',
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    ],
    [
      'OpenAI',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130211 tokens. Please reduce the length of the messages.",
    ],
    [
      'OpenAI Responses',
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ],
    ['Bedrock', 'Input is too long for requested model.'],
    ['Bedrock', 'Too many input tokens. Max input tokens: 8192, request input token count: 9011'],
    [
      'vLLM',
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4800 in the messages, 200 in the completion).",
    ],
    ['vLLM', 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.'],
    [
      'llama.cpp',
      'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
    ],
    ['Ollama', 'the input length exceeds the context length'],
    ['Ollama', 'prompt too long; exceeded max context length by 12 tokens'],
    [
      'LM Studio',
      'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
    ],
    [
      'LM Studio',
      'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    ],
    [
      'Mistral',
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ],
    [
      'Nova',
      'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
    ],
    [
      'Groq, where a prompt alone exceeds what a minute has',
      'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 6294, please reduce your message size and try again.',
    ],
    ['Groq', 'Please reduce the length of the messages or completion.'],
    ['Gemini', 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).'],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens.",
    ],
  ])('from %s: %s', (_, message) => {
    expect(isTooLong(new ModelError('bad_request', message, { status: 400 }))).toBe(true);
  });
});

describe('an error of an API is about something else', () => {
  test.each([
    ['rate_limit', 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 31000.'],
    ['rate_limit', 'Too many tokens, please wait before trying again.'],
    [
      'bad_request',
      'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for this model',
    ],
    ['bad_request', 'messages.3: tool_use ids were found without tool_result blocks'],
    ['server', 'upstream connect error or disconnect/reset before headers'],
  ] as const)('%s: %s', (category, message) => {
    expect(isTooLong(new ModelError(category, message))).toBe(false);
  });

  test('what the API did not say', () => {
    expect(isTooLong(new Error('prompt is too long'))).toBe(false);
  });
});
