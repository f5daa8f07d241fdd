import { AgentError } from '../errors.ts';
import type { Model } from './model.ts';
import { createOfflineModel } from './offline/offline.ts';
import { createScriptedModel, type ReadScript } from './scripted/scripted.ts';

/** What models are made from; each provider takes what it needs of it. */
export interface ModelSources {
  /** The key of a provider, from wherever keys are kept; undefined or "" if there is none. */
  apiKey(provider: string): string | undefined;
  /** Where a provider's API is, if not at its usual place; undefined or "" if it is there. */
  baseUrl(provider: string): string | undefined;
  fetch: typeof fetch;
  /** Reads a script of the `scripted` provider by its path, relative to the project. */
  readScript: ReadScript;
}

/** Every provider there is, in alphabetical order. */
const PROVIDERS: ReadonlyMap<string, (sources: ModelSources) => Model> = new Map([
  ['offline', () => createOfflineModel()],
  ['scripted', (sources: ModelSources) => createScriptedModel(sources.readScript)],
]);

/**
 * The model behind `provider/model-name`, and its name without the provider.
 * @throws {AgentError} if the name has another form, or there is no such provider
 * @throws {MissingKeyError} if the provider needs a key and there is none
 * @throws {ConfigError} if the key or the base URL cannot be used
 */
export function modelFor(fullName: string, sources: ModelSources): { model: Model; name: string } {
  const { provider, name } = parseModelName(fullName);
  const create = PROVIDERS.get(provider);
  if (create === undefined) {
    const supported = [...PROVIDERS.keys()].join(', ');
    throw new AgentError(`unsupported provider "${provider}": supported providers are ${supported}`);
  }
  return { model: create(sources), name };
}

/**
 * Splits at the first `/`, so that a name may hold more of them.
 * @throws {AgentError} if a part is missing
 */
export function parseModelName(fullName: string): { provider: string; name: string } {
  const slash = fullName.indexOf('/');
  if (slash === -1) throw invalidFormat(fullName, 'expected provider/model-name');
  const provider = fullName.slice(0, slash);
  const name = fullName.slice(slash + 1);
  if (provider.trim() === '') throw invalidFormat(fullName, 'empty provider');
  if (name.trim() === '') throw invalidFormat(fullName, 'empty model name');
  return { provider, name };
}

function invalidFormat(fullName: string, reason: string): AgentError {
  return new AgentError(`invalid model format "${fullName}": ${reason}`);
}
