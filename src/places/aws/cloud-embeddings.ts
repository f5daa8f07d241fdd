import type { OpenEmbeddings } from '../../core/memory/embeddings.ts';
import { apiKeyVariable, parseModelName } from '../../core/model/model-name.ts';
import { createPatientFetch } from '../../patient-fetch.ts';
import { serverSecrets } from './environment-secrets.ts';
import { ENVIRONMENT } from './variables.ts';

/**
 * The models for embeddings of a deployed environment. Their keys are among the secrets for tools: the function that
 * carries out calls does not read the keys of models that answer.
 */
export function functionEmbeddings(): OpenEmbeddings {
  const secrets = serverSecrets();
  const fetch = createPatientFetch();
  return async (model) => {
    const [{ openEmbeddings }, { openDeployedProviders }] = await Promise.all([
      import('../models/open-embeddings.ts'),
      import('../../core/model/provider-settings.ts'),
    ]);
    const name = apiKeyVariable(parseModelName(model).provider);
    const key = await secrets.secret(name);
    return openEmbeddings(model, {
      ...openDeployedProviders(process.env[ENVIRONMENT.providers] || '{}'),
      apiKey: () => key,
      whereKeysGo: () => secrets.howToGive(name),
      whereUrlsGo: (provider) => `set providers.${provider}.baseUrl of this environment in cdk.json`,
      fetch,
      scripted: () => {
        throw new TypeError('scripts make no embeddings');
      },
    });
  };
}
