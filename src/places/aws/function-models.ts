import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Model, Models } from '../../core/model/model.ts';
import { createPatientFetch } from '../../patient-fetch.ts';
import type { ModelSources } from '../models/model-sources.ts';
import { modelFor } from '../models/registry.ts';
import { CLIENT_LIMITS } from './client-limits.ts';
import { createSecretKeys } from './secret-keys.ts';
import { ENVIRONMENT, required } from './variables.ts';

/** The models of a deployed function, with the keys of its environment. @param scripted those that play scripts */
export async function functionModels(scripted: () => Model): Promise<Models> {
  const client = new SecretsManagerClient(CLIENT_LIMITS);
  const keys = createSecretKeys(client, required(ENVIRONMENT.keysSecret), Date.now);
  const patientFetch = createPatientFetch();
  const providers = await openProviders();
  return {
    open: async (model) =>
      modelFor(model, {
        apiKey: await keys(),
        whereKeysGo,
        whereUrlsGo,
        ...providers,
        fetch: patientFetch,
        scripted,
      }),
  };
}

/** The stack's output of that name says where the secret is. */
function whereKeysGo(provider: string): string {
  return `add "${provider}" to the secret KeysSecret of this environment`;
}

/** Those of the environment, if it has any. */
async function openProviders(): Promise<Pick<ModelSources, 'providers' | 'baseUrl' | 'settings'>> {
  const json = process.env[ENVIRONMENT.providers];
  if (!json) return { baseUrl: () => undefined };
  const { openDeployedProviders } = await import('../../core/model/provider-settings.ts');
  return openDeployedProviders(json);
}

/** Where the stack has it from. */
function whereUrlsGo(provider: string): string {
  return `set providers.${provider}.baseUrl of this environment in cdk.json`;
}
