import { expect, test } from 'vitest';
import {
  assertProviderSearch,
  providerSearchFault,
  searchedByProvider,
} from '../../../src/core/tool-contracts/provider-search.ts';
import { ConfigError } from '../../../src/errors.ts';

const SONNET = 'anthropic/claude-sonnet-4-5';
const GPT = 'openai/gpt-5.1';
const leftOut = 'leave web_search out, or set another provider under [web_search]';
const ruled = (rule: string) =>
  `the rule ${JSON.stringify(rule)} cannot hold: the model's provider searches without asking; ${leftOut}`;
const hooked = `a hook about calls cannot see web_search: the model's provider searches without asking; name its tools, or set another provider under [web_search]`;
const notAllowed = `the skill "style" does not allow web_search, which cannot be refused where the model's provider searches; leave one of them out`;

test.each<[string, Parameters<typeof providerSearchFault>[1], string | undefined]>([
  [SONNET, {}, undefined],
  ['scripted/a.toml', {}, undefined],
  [
    'ollama/llama3',
    {},
    'the provider of "ollama/llama3" has no web_search of its own: anthropic and openai have; set another provider under [web_search], or leave the tool out',
  ],
  [GPT, { api: 'responses' }, undefined],
  [GPT, { api: 'chat' }, 'web_search by the model works with api = "responses" only'],
  [SONNET, { api: 'chat' }, undefined],
  // A rule for all of its calls takes the tool away, or holds it to a person.
  [SONNET, { deny: ['web_search', 'web_*', 'read_file(a)'] }, undefined],
  [SONNET, { deny: ['web_search', 'web_search(a*)'] }, ruled('web_search(a*)')],
  [SONNET, { deny: ['*(a)'] }, ruled('*(a)')],
  [SONNET, { ask: ['web_search'] }, ruled('web_search')],
  [SONNET, { ask: ['read_file'] }, undefined],
  [SONNET, { hooks: [{ on: 'before_call' }] }, hooked],
  [SONNET, { hooks: [{ on: 'after_call', tools: ['web_*'] }] }, hooked],
  [SONNET, { hooks: [{ on: 'before_call', tools: ['read_file'] }, { on: 'before_answer' }] }, undefined],
  [SONNET, { skills: [{ name: 'style', allowedTools: ['read_file'] }] }, notAllowed],
  [SONNET, { skills: [{ name: 'style', allowedTools: ['web_search(a)'] }] }, notAllowed],
  [SONNET, { skills: [{ name: 'a', allowedTools: ['read_file', 'web_search'] }, { name: 'b' }] }, undefined],
])('a model of %s searches by itself with %j, or not', (model, holding, fault) => {
  expect(providerSearchFault(model, holding)).toBe(fault);
});

test('a search is left to the provider unless a tool of the user has its name', () => {
  const tool = (name: string) => ({ name, description: '', parameters: { type: 'object' as const } });
  const tools = [tool('read_file'), tool('web_search')];
  const left = searchedByProvider(tools);
  expect(left).toEqual([tool('read_file'), { ...tool('web_search'), byProvider: true }]);
  expect(searchedByProvider(tools, { web_search: {} })).toEqual(tools);
  expect(() => assertProviderSearch(left, GPT, { api: 'chat' })).toThrow(
    new ConfigError('web_search by the model works with api = "responses" only'),
  );
  expect(() => assertProviderSearch(tools, GPT, { api: 'chat' })).not.toThrow();
});
