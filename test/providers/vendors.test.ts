import { describe, expect, onTestFinished, test } from 'vitest';
import { openDeployedProviders, type ProviderSettings } from '../../src/core/model/provider-settings.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import type { Message } from '../../src/core/records/message.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { ask, callAgent, running, STREAMED, STREAMED_CHAT } from './requests.ts';

/** An answer of either API. */
const done = {
  choices: [{ message: { content: 'Done.' }, finish_reason: 'stop' }],
  status: 'completed',
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'Done.' }] }],
};

/** Where a request to a model goes, and what it says. */
async function sentTo(
  fullName: string,
  { key = 'a-key', baseUrl, ...settings }: ProviderSettings & { key?: string; baseUrl?: string } = {},
  more: Parameters<typeof ask>[1] = {},
) {
  const sent: { url: string; headers: Record<string, string>; body: unknown }[] = [];
  const { model, name } = await modelFor(fullName, {
    providers: settings.protocol === undefined ? [] : [fullName.split('/')[0] ?? ''],
    apiKey: () => key,
    baseUrl: () => baseUrl,
    settings: () => settings,
    fetch(url, init) {
      const headers = Object.fromEntries(new Headers(init?.headers));
      sent.push({ url: String(url), headers, body: JSON.parse(String(init?.body)) });
      return Promise.resolve(Response.json(done));
    },
    scripted: createOfflineModel,
  });
  expect((await model.send(ask('Hello', { model: name, ...more }), running)).text).toBe('Done.');
  return sent[0];
}

const bearer = { 'content-type': 'application/json', authorization: 'Bearer a-key' };
const body = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hello' }] });

describe('a vendor that speaks the protocol of OpenAI', () => {
  test.each([
    ['gemini/gemini-3-pro', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions'],
    ['groq/llama-3.3-70b-versatile', 'https://api.groq.com/openai/v1/chat/completions'],
    ['lmstudio/qwen3', 'http://localhost:1234/v1/chat/completions'],
    ['openrouter/openai/gpt-5.6', 'https://openrouter.ai/api/v1/chat/completions'],
    ['vllm/qwen3', 'http://localhost:8000/v1/chat/completions'],
  ])('%s is asked at its own place: %s', async (fullName, url) => {
    expect(await sentTo(fullName, {}, { tools: [] })).toEqual({
      url,
      headers: bearer,
      body: { ...body(fullName.slice(fullName.indexOf('/') + 1)), ...STREAMED_CHAT },
    });
  });

  test('Mistral is not asked for counts, which it would refuse, and is told nothing by a user after results', async () => {
    const messages: Message[] = [
      { role: 'user', text: 'Begin.' },
      { role: 'assistant', text: '', calls: [{ id: 'one', name: 'f', arguments: {} }] },
      { role: 'tool', results: [{ callId: 'one', name: 'f', text: '42', isError: false }] },
      { role: 'user', text: 'Hurry up.' },
    ];
    const sent = await sentTo('mistral/mistral-large', {}, { messages });
    expect(sent?.url).toBe('https://api.mistral.ai/v1/chat/completions');
    expect(sent?.body).toMatchObject(STREAMED);
    expect(sent?.body).not.toHaveProperty('stream_options');
    expect(Object(sent?.body).messages).toHaveLength(3);
  });

  test.each([
    [{ baseUrl: 'https://me.openai.azure.com' }, 'https://me.openai.azure.com/openai/v1/chat/completions'],
    [
      { baseUrl: 'https://me.openai.azure.com/openai/v1' },
      'https://me.openai.azure.com/openai/v1/chat/completions',
    ],
    [
      { baseUrl: 'https://me.openai.azure.com', apiVersion: '2024-10-21' },
      'https://me.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21',
    ],
  ])('Azure has the key in a header of its own: %j', async (settings, url) => {
    expect(await sentTo('azure/my-gpt', settings, { maxTokens: 9 })).toEqual({
      url,
      headers: { 'content-type': 'application/json', 'api-key': 'a-key' },
      body: { ...body('my-gpt'), max_completion_tokens: 9, ...STREAMED_CHAT },
    });
  });

  test.each([
    ['https://api.acme.example', 'https://api.acme.example/v1/chat/completions'],
    ['https://api.acme.example/v1/', 'https://api.acme.example/v1/chat/completions'],
    ['https://api.acme.example/api/paas/v4', 'https://api.acme.example/api/paas/v4/chat/completions'],
  ])('one of the user’s own is asked at %s', async (baseUrl, url) => {
    const sent = await sentTo('acme/big-one', { protocol: 'openai', baseUrl }, { tools: [callAgent] });
    expect([sent?.url, sent?.headers]).toEqual([url, bearer]);
  });

  test('has Chat Completions only, unless it is Azure, or an agent says otherwise', async () => {
    const settings = { protocol: 'openai', baseUrl: 'https://api.acme.example' } as const;
    const azure = { baseUrl: 'https://me.openai.azure.com' };
    const tools = [callAgent];
    const urls = await Promise.all([
      sentTo('acme/gpt-5.6', settings, { tools }),
      sentTo('acme/gpt-5.6', settings, { tools, api: 'responses' }),
      sentTo('azure/gpt-5.6', azure, { tools }),
      sentTo('azure/gpt-5.6', { ...azure, apiVersion: '2025-04-01-preview' }, { tools }),
    ]);
    expect(urls.map((sent) => sent?.url)).toEqual([
      'https://api.acme.example/v1/chat/completions',
      'https://api.acme.example/v1/responses',
      'https://me.openai.azure.com/openai/v1/responses',
      'https://me.openai.azure.com/openai/responses?api-version=2025-04-01-preview',
    ]);
  });

  test('that is reached without TLS is the user’s own, and needs no key', async () => {
    expect((await sentTo('vllm/qwen3', { key: '' }))?.headers).toEqual({
      'content-type': 'application/json',
    });
  });

  test.each([
    [
      'groq/x',
      { key: '' },
      'API key for provider "groq" is not configured (set GROQ_API_KEY or add to config.toml)',
    ],
    [
      'azure/x',
      { key: '', baseUrl: 'https://me.openai.azure.com' },
      'API key for provider "azure" is not configured (set AZURE_OPENAI_API_KEY or add to config.toml)',
    ],
    [
      'azure/x',
      {},
      'base URL for provider "azure" is not configured (set CADRE_AZURE_BASE_URL or base_url in [providers.azure] of config.toml)',
    ],
    [
      'my-own/x',
      { protocol: 'openai' as const },
      'base URL for provider "my-own" is not configured (set CADRE_MY_OWN_BASE_URL or base_url in [providers.my-own] of config.toml)',
    ],
    [
      'acme/x',
      {},
      'unsupported provider "acme": supported providers are anthropic, azure, bedrock, gemini, groq, lmstudio, mistral, offline, ollama, openai, openrouter, scripted, vllm',
    ],
  ])('%s is refused with %j', async (fullName, settings, message) => {
    await expect(sentTo(fullName, settings)).rejects.toThrow(message);
  });

  test('as it was deployed is asked at a real server', async () => {
    const server = await startModelServer([{ body: done }]);
    onTestFinished(() => server.close());
    const deployed = openDeployedProviders(
      JSON.stringify({ acme: { protocol: 'openai', baseUrl: `${server.url}/v1`, idleTimeout: 5 } }),
    );
    const { model, name } = await modelFor('acme/big-one', {
      ...deployed,
      apiKey: (provider) => `key of ${provider}`,
      fetch,
      scripted: createOfflineModel,
    });
    expect((await model.send(ask('Hello', { model: name }), running)).text).toBe('Done.');
    expect(server.requests).toEqual([
      {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { ...bearer, authorization: 'Bearer key of acme' },
        body: { ...body('big-one'), ...STREAMED_CHAT },
      },
    ]);
    expect(deployed.settings('acme')).toMatchObject({ silenceMs: 5000 });
  });
});
