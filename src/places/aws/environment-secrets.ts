import type { Secrets } from '../../core/records/secrets.ts';
import { defined } from '../../defined.ts';
import { ConfigError } from '../../errors.ts';
import { CLIENT_LIMITS } from './client-limits.ts';
import { ENVIRONMENT, NOTIFY_SECRETS, TELEMETRY_SECRETS } from './variables.ts';

/** The secrets that servers of tools are told. */
export function serverSecrets(): Secrets {
  return secretsIn(process.env[ENVIRONMENT.serverSecrets], 'ServersSecret');
}

/** The secrets with which people are told of questions. */
export function notifySecrets(): Secrets {
  return secretsIn(process.env[NOTIFY_SECRETS], 'NotifySecret');
}

/** The secrets of the collector that spans are sent to. */
export function telemetrySecrets(): Secrets {
  return secretsIn(process.env[TELEMETRY_SECRETS], 'TelemetrySecret');
}

/** The key of sign-ins to servers. @param secretId as in `secretsIn` */
export async function loginsKey(secretId: string, region?: string): Promise<string> {
  const { secret } = secretsIn(secretId, 'LoginsSecret', region);
  const key = await secret('key');
  if (key === undefined) throw new ConfigError('the secret LoginsSecret of this environment has no "key"');
  return key;
}

/**
 * @param secretId of Secrets Manager; undefined: there are no secrets
 * @param output of the stack, by which people find it
 */
function secretsIn(secretId: string | undefined, output: string, region?: string): Secrets {
  let secrets: ReturnType<typeof readSecrets> | undefined;
  return {
    async secret(name) {
      if (secretId === undefined) return undefined;
      secrets ??= readSecrets(secretId, region);
      return (await (await secrets)())(name);
    },
    howToGive: (name) => `add "${name}" to the secret ${output} of this environment`,
  };
}

/** Loaded with the first use of a secret: cold starts without any do without. */
async function readSecrets(secretId: string, region?: string) {
  const [{ SecretsManagerClient }, { createSecretKeys }] = await Promise.all([
    import('@aws-sdk/client-secrets-manager'),
    import('./secret-keys.ts'),
  ]);
  return createSecretKeys(
    new SecretsManagerClient({ ...CLIENT_LIMITS, ...defined({ region }) }),
    secretId,
    Date.now,
  );
}
