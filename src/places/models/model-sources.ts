import type { Model } from '../../core/model/model.ts';
import type { ProviderSettings } from '../../core/model/provider-settings.ts';

/** The sources that models are made from; each provider takes those that it needs. */
export interface ModelSources {
  /** The names of providers that are set up besides the known ones; absent: none. */
  providers?: readonly string[];
  /** The key of a provider, from wherever keys are kept; undefined or "" if there is none. */
  apiKey(provider: string): string | undefined;
  /** The advice where that key is missing, in words; absent: as on a user's own machine. */
  whereKeysGo?(provider: string): string;
  /** Where a provider's API is, if not at its usual place; undefined or "" if it is there. */
  baseUrl(provider: string): string | undefined;
  /** The advice where no such place is known, in words; absent: as on a user's own machine. */
  whereUrlsGo?(provider: string): string;
  /** Further settings of a provider; absent: none. */
  settings?(provider: string): ProviderSettings;
  fetch: typeof fetch;
  /** The model that plays scripts. Where nothing is played, the player need not be there: it throws an AgentError. */
  scripted(): Model;
}
