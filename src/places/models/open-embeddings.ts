import { mayEmbed, type Embeddings } from '../../core/memory/embeddings.ts';
import { parseKnownModelName } from '../../core/model/model-name.ts';
import { AgentError } from '../../errors.ts';
import { access, customUrl, keyedAccess } from './access.ts';
import type { ModelSources } from './model-sources.ts';

/**
 * The embeddings of the model `provider/model-name`.
 * @throws {AgentError} if there is no such provider, or it has no such models
 * @throws {MissingKeyError | ConfigError} as for models that answer
 */
export async function openEmbeddings(fullName: string, sources: ModelSources): Promise<Embeddings> {
  const { provider, name } = parseKnownModelName(fullName, sources.providers);
  if (!mayEmbed(provider)) throw new AgentError(`provider "${provider}" has no models for embeddings`);
  if (provider === 'bedrock') {
    const { createBedrockEmbeddings } = await import('../../providers/bedrock/embeddings.ts');
    const baseUrl = customUrl(provider, sources);
    return createBedrockEmbeddings(name, { ...access(provider, sources, ''), baseUrl });
  }
  if (provider === 'ollama') {
    const [{ createOllamaEmbeddings }, { OLLAMA_URL }] = await Promise.all([
      import('../../providers/ollama/embeddings.ts'),
      import('../../providers/ollama/ollama.ts'),
    ]);
    return createOllamaEmbeddings(name, access(provider, sources, OLLAMA_URL));
  }
  const { createOpenAIEmbeddings } = await import('../../providers/openai/embeddings.ts');
  if (provider === 'openai') {
    const { OPENAI_URL } = await import('../../providers/openai/openai.ts');
    return createOpenAIEmbeddings(name, keyedAccess(provider, sources, OPENAI_URL));
  }
  const { vendorAccess } = await import('./vendor.ts');
  const { access: reached, dialect } = vendorAccess(provider, sources);
  return createOpenAIEmbeddings(name, reached, dialect);
}
