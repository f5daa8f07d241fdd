import { describe, expect, it } from 'vitest';
import type { ModelSources } from '../../../src/places/models/model-sources.ts';
import { COUNTING_PROVIDERS, PROVIDER_NAMES } from '../../../src/core/model/model-name.ts';
import { modelFor } from '../../../src/places/models/registry.ts';
import { createScriptedModel } from '../../../src/places/testing/scripted/scripted.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { ask, running } from '../../providers/requests.ts';

const nothing: ModelSources = {
  apiKey: () => undefined,
  baseUrl: () => undefined,
  fetch: () => Promise.reject(new Error('nothing may leave the machine')),
  scripted: () => createScriptedModel(async () => '{"conversations": [{"turns": [{"text": "Hello."}]}]}'),
};

describe('a model name', () => {
  it.each([
    ['claude', 'invalid model format "claude": expected provider/model-name'],
    ['', 'invalid model format "": expected provider/model-name'],
    ['/claude', 'invalid model format "/claude": empty provider'],
    ['anthropic/', 'invalid model format "anthropic/": empty model name'],
    ['anthropic/ ', 'invalid model format "anthropic/ ": empty model name'],
    [
      'acme/big-one',
      'unsupported provider "acme": supported providers are anthropic, azure, bedrock, gemini, groq, lmstudio, mistral, offline, ollama, openai, openrouter, scripted, vllm',
    ],
  ])('"%s" is refused', async (name, message) => {
    await expect(modelFor(name, nothing)).rejects.toThrow(
      expect.objectContaining({ name: 'AgentError', message }),
    );
  });

  it('is split at its first slash', async () => {
    const bedrock = await modelFor(
      'bedrock/arn:aws:bedrock:eu-central-1:1:inference-profile/eu.x-v1:0',
      nothing,
    );
    expect(bedrock.name).toBe('arn:aws:bedrock:eu-central-1:1:inference-profile/eu.x-v1:0');
    const { model, name } = await modelFor('scripted/tests/hello.json', nothing);
    expect(name).toBe('tests/hello.json');
    expect((await model.send(ask('x', { model: name }), running)).text).toBe('Hello.');
  });
});

it.each(PROVIDER_NAMES)('knows whether %s counts tokens', async (provider) => {
  const given = { ...nothing, apiKey: () => 'k', baseUrl: () => 'http://127.0.0.1:1' };
  const { model } = await modelFor(`${provider}/extractive`, given);
  expect(model.countTokens !== undefined).toBe(COUNTING_PROVIDERS.includes(provider));
});

describe('a key', () => {
  it.each([
    [
      'anthropic',
      undefined,
      'API key for provider "anthropic" is not configured (set ANTHROPIC_API_KEY or add to config.toml)',
    ],
    [
      'openai',
      ' ',
      'API key for provider "openai" is not configured (set OPENAI_API_KEY or add to config.toml)',
    ],
  ])('of %s is missed where it is %j', async (provider, key, message) => {
    await expect(modelFor(`${provider}/x`, { ...nothing, apiKey: () => key })).rejects.toThrow(
      expect.objectContaining({ name: 'MissingKeyError', message }),
    );
  });

  it.each(['bedrock/amazon.nova-pro-v1:0', 'offline/extractive', 'ollama/llama3.2', 'scripted/x.json'])(
    'is not wanted for %s',
    async (name) => {
      expect((await modelFor(name, nothing)).name).toBe(name.split('/')[1]);
    },
  );
});

describe('a base URL', () => {
  const known = {
    anthropic: ['https://api.anthropic.com/v1/messages', 'http://proxy.test/a/v1/messages'],
    ollama: ['http://localhost:11434/api/chat', 'http://proxy.test/a/api/chat'],
    openai: ['https://api.openai.com/v1/chat/completions', 'http://proxy.test/a/v1/chat/completions'],
  };

  it.each(Object.entries(known))(
    'of %s is its usual one, or the one that is set',
    async (provider, expected) => {
      const asked: string[] = [];
      const sources: ModelSources = {
        ...nothing,
        apiKey: () => 'key',
        fetch: async (url) => {
          asked.push(url instanceof Request ? url.url : url.toString());
          throw new Error('not sent');
        },
      };
      for (const baseUrl of [undefined, 'http://proxy.test/a/']) {
        const { model } = await modelFor(`${provider}/x`, { ...sources, baseUrl: () => baseUrl });
        await expect(model.send(ask('x'), running)).rejects.toThrow('not sent');
      }
      expect(asked).toEqual(expected);
    },
  );

  it('leads to a real server with the key of its provider', async () => {
    const server = await startModelServer([{ body: { content: [{ type: 'text', text: 'Hello.' }] } }]);
    const { model } = await modelFor('anthropic/x', {
      ...nothing,
      apiKey: (provider) => `\tkey of ${provider}\n`,
      baseUrl: (provider) => (provider === 'anthropic' ? server.url : undefined),
      fetch,
    });
    expect((await model.send(ask('x'), running)).text).toBe('Hello.');
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key of anthropic']);
    await server.close();
  });

  it.each(['localhost:11434', 'ftp://host', 'http://', 'http://user:password@host', 'http://host?a=b'])(
    'cannot be %s, which is not repeated',
    async (baseUrl) => {
      await expect(modelFor('ollama/x', { ...nothing, baseUrl: () => baseUrl })).rejects.toThrow(
        expect.objectContaining({
          name: 'ConfigError',
          message:
            'invalid base URL for provider "ollama": expected http://host or https://host, with a path at most',
        }),
      );
    },
  );
});
