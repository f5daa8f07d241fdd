import { expect, test } from 'vitest';
import { PRICES } from '../../../src/core/spending/price-table.ts';
import { windowOf } from '../../../src/core/spending/windows.ts';

test('every model whose price is known has a window', () => {
  expect([...PRICES.keys()].filter((model) => windowOf(model) === undefined)).toEqual([]);
});

test.each([
  ['anthropic/claude-sonnet-4-5', 200_000],
  ['anthropic/claude-sonnet-4-5-20250929', 200_000],
  ['anthropic/claude-opus-4-6', 1_000_000],
  ['bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 200_000],
  [
    'bedrock/arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-opus-4-1-v1:0',
    200_000,
  ],
  ['openai/gpt-4o-2024-08-06', 128_000],
  ['openai/gpt-5', 272_000],
  ['bedrock/us.amazon.nova-pro-v1:0', 300_000],
  ['openai/my-own-model', undefined],
  ['ollama/gpt-4o', undefined],
  ['scripted/script.json', undefined],
])('the window of %s is %s', (model, window) => {
  expect(windowOf(model)).toBe(window);
});
