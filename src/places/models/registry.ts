import { DELEGATION_MODEL } from '../../core/records/delegation.ts';
import { REMOTE_MODEL } from '../../core/records/remote-model.ts';
import type { Model } from '../../core/model/model.ts';
import { parseKnownModelName } from '../../core/model/model-name.ts';
import type { ModelSources } from './model-sources.ts';

/** Models whose answers are computed, by their full names. */
const PLANNED: ReadonlyMap<string, () => Promise<Model>> = new Map([
  [DELEGATION_MODEL, async () => (await import('../../providers/planned/delegation.ts')).delegationModel],
  [REMOTE_MODEL, async () => (await import('../../providers/planned/remote.ts')).remoteModel],
]);

/**
 * The model behind `provider/model-name`, and its name without the provider. The code that opens one is loaded with the
 * first: a function that starts does not wait for it.
 * @throws {AgentError} if the name has another form, or there is no such provider
 * @throws {MissingKeyError} if the provider needs a key and there is none
 * @throws {ConfigError} if the key or the base URL cannot be used
 */
export async function modelFor(
  fullName: string,
  sources: ModelSources,
): Promise<{ model: Model; name: string }> {
  const planned = PLANNED.get(fullName);
  if (planned !== undefined) return { model: await planned(), name: fullName };
  const { provider, name } = parseKnownModelName(fullName, sources.providers);
  const { openProvider } = await import('./open-provider.ts');
  return { model: await openProvider(provider, sources), name };
}
