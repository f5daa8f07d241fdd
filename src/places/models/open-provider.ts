import { access, customUrl, keyedAccess } from './access.ts';
import type { Model } from '../../core/model/model.ts';
import type { ProtocolName } from '../../core/model/model-name.ts';
import type { ModelSources } from './model-sources.ts';

/** Each is loaded when a model of it is opened, so that programs do not wait for the others. */
const PROTOCOLS: Record<ProtocolName, (sources: ModelSources) => Model | Promise<Model>> = {
  async anthropic(sources) {
    const { ANTHROPIC_URL, createAnthropicModel } = await import('../../providers/anthropic/anthropic.ts');
    return createAnthropicModel(keyedAccess('anthropic', sources, ANTHROPIC_URL));
  },
  async bedrock(sources) {
    const { createBedrockModel } = await import('../../providers/bedrock/bedrock.ts');
    return createBedrockModel(bedrockAccess(sources));
  },
  offline: async () => (await import('../../providers/offline/offline.ts')).createOfflineModel(),
  async ollama(sources) {
    const { createOllamaModel, OLLAMA_URL } = await import('../../providers/ollama/ollama.ts');
    return createOllamaModel(access('ollama', sources, OLLAMA_URL));
  },
  async openai(sources) {
    const { createOpenAIModel, OPENAI_URL } = await import('../../providers/openai/openai.ts');
    const reached = keyedAccess('openai', sources, OPENAI_URL);
    return {
      ...createOpenAIModel(reached),
      // Few agents wait for them, and other servers of its protocol have none.
      batches: async () => (await import('../../providers/openai/batches.ts')).createOpenAIBatches(reached),
    };
  },
  scripted: ({ scripted }) => scripted(),
};

/**
 * Opens any provider that is known or set up.
 * @throws {MissingKeyError} if it needs a key and there is none
 * @throws {ConfigError} if the key or the base URL cannot be used
 */
export async function openProvider(provider: string, sources: ModelSources): Promise<Model> {
  const model = await openUnguarded(provider, sources);
  let send: Model['send'] | undefined;
  return {
    ...model,
    async send(request, ...others) {
      if (request.guardrail === undefined) return model.send(request, ...others);
      const { guarded } = await import('../../providers/bedrock/guardrail.ts');
      send ??= guarded(model, bedrockAccess(sources), provider === 'bedrock');
      return send(request, ...others);
    },
  };
}

function bedrockAccess(sources: ModelSources) {
  return { ...access('bedrock', sources, ''), baseUrl: customUrl('bedrock', sources) };
}

async function openUnguarded(provider: string, sources: ModelSources): Promise<Model> {
  if (isProtocol(provider)) return PROTOCOLS[provider](sources);
  const { openVendor } = await import('./vendor.ts');
  return openVendor(provider, sources);
}

function isProtocol(provider: string): provider is ProtocolName {
  return Object.hasOwn(PROTOCOLS, provider);
}
