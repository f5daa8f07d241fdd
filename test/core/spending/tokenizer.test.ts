import { expect, test } from 'vitest';
import { tokensAtMost } from '../../../src/core/spending/tokens.ts';
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

test.each([
  ['nothing', '', 0, 0],
  ['a word that is one token', 'the', 2, 2],
  ['blanks that belong to words', ' the of', 3, 4],
  ['other blanks', `${' '.repeat(34)}a`, 5, 9],
  ['a capital', 'Hello World', 3, 4],
  ['a mark before a word', '(name)', 3, 4],
  ['digits', '1234567', 4, 7],
  ['line ends', '\n\n', 2, 2],
  ['what is not ASCII, by its bytes', 'é€', 5, 5],
  ['the longest word that is looked at', 'x'.repeat(200), 53, 88],
  ['a longer one, by its letters', 'x'.repeat(201), 201, 201],
])('a text comes to so many tokens at most: %s', (_, text, ofKnown, ofUnknown) => {
  expect([tokensAtMost(text, known), tokensAtMost(text, unknown)]).toEqual([ofKnown, ofUnknown]);
});
