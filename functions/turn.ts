import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Context } from 'aws-lambda';
import { takeTurn, type TurnPorts } from '../src/core/turn/turn.ts';
import { ENVIRONMENT, METRICS, required } from '../src/places/aws/variables.ts';
import type { Model } from '../src/core/model/model.ts';
import type { ModelSources } from '../src/places/models/model-sources.ts';
import { modelFor } from '../src/places/models/registry.ts';
import { createPatientFetch } from '../src/patient-fetch.ts';
import { createSecretKeys } from '../src/places/aws/secret-keys.ts';
import { functionRunLog, logCount } from '../src/places/aws/run-log.ts';
import { createPrices } from '../src/core/spending/prices.ts';
import { noticed } from '../src/places/follow/notices.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { loadOwnTools } from '../src/tools/load-own-tools.ts';
import { functionLimits } from '../src/places/aws/place-limits.ts';
import { CLIENT_LIMITS } from '../src/places/aws/client-limits.ts';

/** Time to say that the function's own time is over, before Lambda ends it without a word. */
const MARGIN_MS = 2_000;

const keys = createSecretKeys(
  new SecretsManagerClient(CLIENT_LIMITS),
  required(ENVIRONMENT.keysSecret),
  Date.now,
);
const patientFetch = createPatientFetch();
const providers = await openProviders();

const { runs, memories } = functionStore();
const { store, live } = noticed(runs, functionRunLog());

const ports: TurnPorts = {
  store,
  live,
  tools: loadOwnTools,
  memories,
  models: {
    open: async (model) =>
      modelFor(model, {
        apiKey: await keys(),
        whereKeysGo,
        whereUrlsGo,
        ...providers,
        fetch: patientFetch,
        scripted: () => ({ send: async (...request) => (await openScripts()).send(...request) }),
      }),
  },
  prices: createPrices(),
  // An alarm looks at the metric.
  limits: { ...functionLimits(), nearlyReached: () => logCount(METRICS.nearLimits, 1) },
  now: Date.now,
  random: Math.random,
};

/** Makes one turn of a conversation with its model. */
export function handler(event: unknown, context: Context) {
  return takeTurn(event, ports, AbortSignal.timeout(context.getRemainingTimeInMillis() - MARGIN_MS));
}

/** The stack's output of that name says where the secret is. */
function whereKeysGo(provider: string): string {
  return `add "${provider}" to the secret KeysSecret of this environment`;
}

/** Those of the environment, if it has any. */
async function openProviders(): Promise<Pick<ModelSources, 'providers' | 'baseUrl' | 'settings'>> {
  const json = process.env[ENVIRONMENT.providers];
  if (!json) return { baseUrl: () => undefined };
  const { openDeployedProviders } = await import('../src/core/model/provider-settings.ts');
  return openDeployedProviders(json);
}

/** Where the stack has it from. */
function whereUrlsGo(provider: string): string {
  return `set providers.${provider}.baseUrl of this environment in cdk.json`;
}

/** Those of `cadre verify`, where the environment has them: loaded when they are played, which is hardly ever. */
async function openScripts(): Promise<Model> {
  const { openPackedScripts } = await import('../src/authoring/verify/packed-scripts.ts');
  return openPackedScripts(import.meta.dirname);
}
