import { DELEGATION_MODEL } from '../runs/delegation.ts';
import type { Model } from './model.ts';
import { parseKnownModelName } from './model-name.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** What models are made from; each provider takes what it needs of it. */
export interface ModelSources {
  /** The names of providers that are set up besides the known ones; absent: none. */
  providers?: readonly string[];
  /** The key of a provider, from wherever keys are kept; undefined or "" if there is none. */
  apiKey(provider: string): string | undefined;
  /** What to do where that key is missing, in words; absent: as on a user's own machine. */
  whereKeysGo?(provider: string): string;
  /** Where a provider's API is, if not at its usual place; undefined or "" if it is there. */
  baseUrl(provider: string): string | undefined;
  /** What to do where no such place is known, in words; absent: as on a user's own machine. */
  whereUrlsGo?(provider: string): string;
  /** What else is set up for a provider; absent: nothing. */
  settings?(provider: string): ProviderSettings;
  fetch: typeof fetch;
  /** The model that plays scripts. Where nothing is played, the player need not be there: it throws an AgentError. */
  scripted(): Model;
}

/**
 * The model behind `provider/model-name`, and its name without the provider. What opens one is loaded with the first: a
 * function that starts does not wait for it.
 * @throws {AgentError} if the name has another form, or there is no such provider
 * @throws {MissingKeyError} if the provider needs a key and there is none
 * @throws {ConfigError} if the key or the base URL cannot be used
 */
export async function modelFor(
  fullName: string,
  sources: ModelSources,
): Promise<{ model: Model; name: string }> {
  if (fullName === DELEGATION_MODEL) {
    const { delegationModel } = await import('./planned/delegation.ts');
    return { model: delegationModel, name: fullName };
  }
  const { provider, name } = parseKnownModelName(fullName, sources.providers);
  const { openProvider } = await import('./open-provider.ts');
  return { model: await openProvider(provider, sources), name };
}
