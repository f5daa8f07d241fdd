import { expect, it } from 'vitest';
import { toRequest as toChat } from '../../../src/providers/openai/chat/to-request.ts';
import { toRequest as toResponses } from '../../../src/providers/openai/responses/to-request.ts';
import { ask } from '../../providers/requests.ts';
import { sentParameters } from '../../../src/places/models/sent-parameters.ts';

const unset = { maxTokens: 0 };
const set = { temperature: 0.5, maxTokens: 100, reasoningEffort: 'low' } as const;

it.each([
  ['anthropic/claude-sonnet-4-5', { maxTokens: 4096 }, { temperature: 0.5, maxTokens: 100 }],
  ['bedrock/amazon.nova-lite-v1:0', {}, { temperature: 0.5, maxTokens: 100 }],
  ['ollama/llama3.2', {}, { temperature: 0.5, maxTokens: 100 }],
  ['openai/gpt-5.1', {}, { maxTokens: 100, reasoningEffort: 'low' }],
  ['offline/extractive', {}, {}],
  ['scripted/x.json', {}, {}],
  ['acme/big-one', {}, set],
  ['groq/llama-3.3-70b', {}, set],
])('%s is sent %j where nothing is set, and %j', (model, byDefault, sent) => {
  expect([sentParameters(model, unset), sentParameters(model, set)]).toEqual([byDefault, sent]);
});

it.each([
  'anthropic/claude-sonnet-4-5',
  'bedrock/amazon.nova-lite-v1:0',
  'ollama/llama3.2',
  'openai/gpt-4.1',
])('a temperature of 0 is sent to %s as any other', (model) => {
  expect(sentParameters(model, { ...unset, temperature: 0 })).toMatchObject({ temperature: 0 });
});

/** Whether each model is sent a temperature: where it is told nothing about thinking, not to think, and to think. */
it.each([
  ['gpt-4.1', [true, true, true]],
  ['gpt-5-chat-latest', [true, true, true]],
  ['gpt-5', [false, false, false]],
  ['o4-mini', [false, false, false]],
  ['gpt-5.1', [true, true, false]],
  ['gpt-5.4-mini', [true, true, false]],
  ['gpt-5.2-pro', [false, false, false]],
  ['gpt-5.5', [false, true, false]],
  ['gpt-5.5-pro', [false, false, false]],
  ['gpt-5.6-sol', [false, true, false]],
  ['gpt-6.1-terra', [false, true, false]],
  ['llama3.2', [true, true, true]],
])('%s is sent a temperature only where it takes one', (model, expected) => {
  const efforts = [{}, { reasoningEffort: 'none' }, { reasoningEffort: 'high' }] as const;
  for (const api of ['chat', 'responses'] as const) {
    const toRequest = api === 'chat' ? toChat : toResponses;
    const sent = efforts.map(
      (effort) => toRequest(ask('x', { model, temperature: 0.5, ...effort }), '').temperature === 0.5,
    );
    expect(sent).toEqual(expected);
  }
});
