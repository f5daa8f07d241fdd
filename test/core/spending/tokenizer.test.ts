import { expect, test } from 'vitest';
import { tokenizerOf } from '../../../src/core/spending/tokenizer.ts';

const known = tokenizerOf('openai/gpt-4o');
const unknown = tokenizerOf('somewhere/else');

test.each([
  ['openai/gpt-4o-mini', known],
  ['openai/ft:gpt-4o:somebody', known],
  ['openai/gpt-4.1', known],
  ['openai/gpt-5.2-codex', known],
  ['openai/o3', known],
  ['openai/openai/gpt-4-turbo', known],
  ['ollama/llama3.2:3b', known],
  ['openai/meta-llama/Llama-3.3-70B-Instruct', known],
  ['bedrock/us.meta.llama3-3-70b-instruct-v1:0', known],
  ['openai/gpt-oss-120b', unknown],
  ['openai/gpt-6', unknown],
  ['ollama/llama4', unknown],
  ['ollama/mistral', unknown],
  ['anthropic/claude-sonnet-4-5', unknown],
  ['bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', unknown],
])('the tokenizer of %s is one that is known, or it is not', (model, tokenizer) => {
  expect(tokenizerOf(model)).toBe(tokenizer);
});
