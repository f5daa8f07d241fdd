import { ENVIRONMENT } from './variables.ts';
import type { OpenToolServers } from '../../tools/mcp/ports.ts';
import { createToolServers } from '../tool-servers.ts';
import type { Secrets } from '../../core/records/secrets.ts';
import { CLIENT_LIMITS } from './client-limits.ts';

/** The servers that deployed agents use. */
export function functionServers(secrets: Secrets): OpenToolServers {
  return createToolServers({ ...secrets, now: Date.now });
}

/** The secrets of the environment that are for what tools reach, and no others. */
export function functionSecrets(): Secrets {
  const secretId = process.env[ENVIRONMENT.serverSecrets];
  let secrets: ReturnType<typeof readSecrets> | undefined;
  return {
    async secret(name) {
      if (secretId === undefined) return undefined;
      secrets ??= readSecrets(secretId);
      return (await (await secrets)())(name);
    },
    howToGive: (name) => `add "${name}" to the secret ServersSecret of this environment`,
  };
}

/** Loaded by the first of them that needs a secret: cold starts of all others do without. */
async function readSecrets(secretId: string) {
  const [{ SecretsManagerClient }, { createSecretKeys }] = await Promise.all([
    import('@aws-sdk/client-secrets-manager'),
    import('./secret-keys.ts'),
  ]);
  return createSecretKeys(new SecretsManagerClient(CLIENT_LIMITS), secretId, Date.now);
}
