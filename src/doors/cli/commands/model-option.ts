import { join } from 'node:path';
import { configFolder } from '../../../authoring/config/config-folder.ts';
import { AgentError } from '../../../errors.ts';
import { parseKnownModelName, parseModelName, PROVIDER_NAMES } from '../../../core/model/model-name.ts';
import { hintAt } from '../../../nearest.ts';
import type { Io } from '../terminal/io.ts';

/**
 * Checks the value of `--model` before anything is done with it.
 * @param providers names of providers that are configured here; absent: those of an environment, which are not known
 * @throws {AgentError} if it is not the name of a model, with what to do about it
 */
export function assertModelOption(
  model: string | undefined,
  { env }: Pick<Io, 'env'>,
  providers?: readonly string[],
): void {
  if (model === undefined) return;
  const { provider } = parseModelName(model);
  if (providers === undefined) return;
  try {
    parseKnownModelName(model, providers);
  } catch (thrown) {
    if (!(thrown instanceof AgentError)) throw thrown;
    const hint =
      hintAt(provider, [...PROVIDER_NAMES, ...providers]) ||
      `; set up [providers.${provider}] in ${join(configFolder(env), 'config.toml')}`;
    throw new AgentError(thrown.message + hint, { cause: thrown });
  }
}
