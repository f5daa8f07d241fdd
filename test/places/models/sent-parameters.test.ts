import { expect, it } from 'vitest';
import { sentParameters } from '../../../src/places/models/sent-parameters.ts';

const unset = { temperature: 0, maxTokens: 0 };
const set = { temperature: 0.5, maxTokens: 100, reasoningEffort: 'low' } as const;

it.each([
  ['anthropic/claude-sonnet-4-5', { maxTokens: 4096 }, { temperature: 0.5, maxTokens: 100 }],
  ['bedrock/amazon.nova-lite-v1:0', {}, { temperature: 0.5, maxTokens: 100 }],
  ['ollama/llama3.2', {}, { temperature: 0.5, maxTokens: 100 }],
  ['openai/gpt-5.1', {}, set],
  ['offline/extractive', {}, {}],
  ['scripted/x.json', {}, {}],
  ['acme/big-one', {}, set],
  ['groq/llama-3.3-70b', {}, set],
])('%s is sent %j where nothing is set, and %j', (model, byDefault, sent) => {
  expect([sentParameters(model, unset), sentParameters(model, set)]).toEqual([byDefault, sent]);
});
