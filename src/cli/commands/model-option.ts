import { join } from 'node:path';
import { configFolder } from '../../config/config-folder.ts';
import { AgentError, ConfigError } from '../../errors.ts';
import { parseKnownModelName, parseModelName, PROVIDER_NAMES } from '../../models/model-name.ts';
import { nearest } from '../../nearest.ts';
import type { Io } from '../terminal/io.ts';

/**
 * Looks at the value of `--model` before anything is done with it.
 * @param providers names of providers that are set up here; absent: those of an environment, which are not known
 * @throws {ConfigError} if it is no name of a model: the same in an agent's file is a fault of the agent
 */
export function assertModelOption(
  model: string | undefined,
  { env }: Pick<Io, 'env'>,
  providers?: readonly string[],
): void {
  if (model === undefined) return;
  const { provider } = asOption(() => parseModelName(model));
  if (providers === undefined) return;
  const meant = nearest(provider, [...PROVIDER_NAMES, ...providers]);
  const hint =
    meant === undefined
      ? `set up [providers.${provider}] in ${join(configFolder(env), 'config.toml')}`
      : `did you mean "${meant}"?`;
  asOption(() => parseKnownModelName(model, providers), `; ${hint}`);
}

function asOption<T>(parse: () => T, hint = ''): T {
  try {
    return parse();
  } catch (thrown) {
    if (!(thrown instanceof AgentError)) throw thrown;
    throw new ConfigError(thrown.message + hint, { cause: thrown });
  }
}
