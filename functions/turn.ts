import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Context } from 'aws-lambda';
import { takeTurn, type TurnPorts } from '../src/conversation/turn.ts';
import { ENVIRONMENT, required } from '../src/environment.ts';
import { modelFor } from '../src/models/registry.ts';
import { createSecretKeys } from '../src/models/secret-keys.ts';
import { openCloudStore } from '../src/store/cloud-store.ts';

/** Time to say that the function's own time is over, before Lambda ends it without a word. */
const MARGIN_MS = 2_000;

const keys = createSecretKeys(new SecretsManagerClient({}), required(ENVIRONMENT.keysSecret), Date.now);

const ports: TurnPorts = {
  store: openCloudStore({ tableName: required(ENVIRONMENT.table), bucket: required(ENVIRONMENT.bucket) }),
  models: {
    open: async (model) =>
      modelFor(model, { apiKey: await keys(), baseUrl: () => undefined, fetch, readScript }),
  },
  emit: () => {},
  now: Date.now,
};

/** Makes one turn of a conversation with its model. */
export function handler(event: unknown, context: Context) {
  return takeTurn(event, ports, AbortSignal.timeout(context.getRemainingTimeInMillis() - MARGIN_MS));
}

async function readScript(path: string): Promise<string> {
  throw new Error(`scripted models play local files and are not deployed: ${path}`);
}
