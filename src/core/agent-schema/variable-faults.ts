import { isForModels } from '../model/model-name.ts';
import { SECRET_NAME } from '../records/secret-name.ts';
import { secretsNamed } from '../records/secrets.ts';

/** The kinds of settings that take variables, or headers, that may refer to secrets. */
type Taker = 'server' | 'function';

/** The fault of a variable in an agent's file. */
export function variableFault(name: string, value: string, taker: Taker): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) return '{key} is not the name of a variable';
  return secretFault(name, value, taker);
}

/** The fault in the way a header or a variable gets its secret. */
export function secretFault(name: string, value: string, taker: Taker): string | undefined {
  const named = secretsNamed([value]);
  // Providers that are set up besides are known where the secret is looked up: localSecrets.
  const notForTakers = named.find((secret) => isForModels(secret));
  if (notForTakers !== undefined) {
    return `{key} takes \${${notForTakers}}, which is for models and AWS and is given to no ${taker}: keep the value under another name`;
  }
  // Written out in a file, it would be in the project's history for good.
  if (named.length > 0 || value === '' || !SECRET_NAME.test(name)) return undefined;
  return '{key} looks like a secret: write ${NAME}, and keep the value in the environment or in [secrets] of config.toml';
}
