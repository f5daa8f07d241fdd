import { ENVIRONMENT } from './variables.ts';
import type { OpenToolServers } from '../../tools/mcp/ports.ts';
import { createToolServers } from '../tool-servers.ts';
import { CLIENT_LIMITS } from './client-limits.ts';

/** The servers that deployed agents use, with the secrets of the environment that are for servers, and no others. */
export function functionServers(): OpenToolServers {
  const secretId = process.env[ENVIRONMENT.serverSecrets];
  let secrets: ReturnType<typeof readSecrets> | undefined;
  return createToolServers({
    async secret(name) {
      if (secretId === undefined) return undefined;
      secrets ??= readSecrets(secretId);
      return (await (await secrets)())(name);
    },
    howToGive: (name) => `add "${name}" to the secret ServersSecret of this environment`,
    now: Date.now,
  });
}

/** Loaded by the first server that needs a secret: cold starts of all others do without. */
async function readSecrets(secretId: string) {
  const [{ SecretsManagerClient }, { createSecretKeys }] = await Promise.all([
    import('@aws-sdk/client-secrets-manager'),
    import('./secret-keys.ts'),
  ]);
  return createSecretKeys(new SecretsManagerClient(CLIENT_LIMITS), secretId, Date.now);
}
