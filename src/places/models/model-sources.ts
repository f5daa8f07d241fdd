import type { Model } from '../../core/model/model.ts';
import type { ProviderSettings } from '../../core/model/provider-settings.ts';

/** The sources that models are made from; each provider takes those that it needs. */
export interface ModelSources {
  /** The names of providers that are set up besides the known ones; absent: none. */
  providers?: readonly string[];
  /** The key of a provider, from wherever keys are stored; undefined or "" if there is none. */
  apiKey(provider: string): string | undefined;
  /** The advice if that key is missing, in words; absent: as on a user's own machine. */
  whereKeysGo?(provider: string): string;
  /** The address of a provider's API, if it is not the usual one; undefined or "" if it is. */
  baseUrl(provider: string): string | undefined;
  /** The advice if no such address is known, in words; absent: as on a user's own machine. */
  whereUrlsGo?(provider: string): string;
  /** Further settings of a provider; absent: none. */
  settings?(provider: string): ProviderSettings;
  fetch: typeof fetch;
  /** The model that plays scripts. Without scripts, the player need not be installed: it throws an AgentError. */
  scripted(): Model;
}
