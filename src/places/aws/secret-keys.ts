import type { Instant } from '../../core/records/times.ts';
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { askAws } from './aws-errors.ts';
import { ConfigError } from '../../errors.ts';

/** Keys of providers as they are kept in Secrets Manager: one secret, one JSON object. */
export const Keys = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));
type Keys = v.InferOutput<typeof Keys>;

/** How long a key that was changed may still be used by a warm function. */
const CACHE_MS = 5 * 60_000;

/**
 * Reads the providers' keys, and keeps them for five minutes, in memory only.
 * @returns a function that looks a key up by provider
 * @throws {StoreError} if Secrets Manager does not give the secret
 * @throws {ConfigError} if the secret has another form
 */
export function createSecretKeys(
  client: SecretsManagerClient,
  secretId: string,
  now: () => Instant,
): () => Promise<(provider: string) => string | undefined> {
  let cached: { keys: Promise<Keys>; until: number } | undefined;
  return async () => {
    if (cached === undefined || cached.until <= now()) {
      cached = { keys: readKeys(client, secretId), until: now() + CACHE_MS };
    }
    const keys = await cached.keys.catch((thrown: unknown) => {
      cached = undefined;
      throw thrown;
    });
    return (provider) => (Object.hasOwn(keys, provider) ? keys[provider] : undefined);
  };
}

async function readKeys(client: SecretsManagerClient, secretId: string): Promise<Keys> {
  const command = new GetSecretValueCommand({ SecretId: secretId });
  const { SecretString } = await askAws(`read the secret "${secretId}"`, () => client.send(command));
  const keys = v.safeParse(Keys, SecretString);
  // The value itself must not get into a message.
  if (!keys.success) {
    throw new ConfigError(
      `the secret "${secretId}" is not a JSON object of keys by provider, {"anthropic": "…"}`,
    );
  }
  return keys.output;
}
