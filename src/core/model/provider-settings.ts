import * as v from 'valibot';
import { PROTOCOL_NAMES } from './model-name.ts';

/** Protocols that a provider of the user's own can speak. */
export const PROTOCOLS = ['openai'] as const;

/** The settings of a provider besides its key and its address. */
export interface ProviderSettings {
  protocol?: (typeof PROTOCOLS)[number] | undefined;
  /** Whether the server refuses a user's message after the results of tools; absent: as known for the provider. */
  strictRoles?: boolean | undefined;
  /** How long a stream may show nothing, in milliseconds; absent: the usual time. */
  silenceMs?: number | undefined;
  /** Of Azure's dated API, `2024-10-21`; absent: its v1 API. */
  apiVersion?: string | undefined;
}

/** The most seconds that a stream may show nothing: a timer of Node.js for more than 24 days ends at once. */
export const LONGEST_IDLE = 86_400;

/** A name stands before the slash in the name of a model, and in the names of variables. */
export const PROVIDER_NAME = /^[a-z][a-z0-9_-]*$/i;

/** Neither credentials, nor anything behind the path. */
export const BASE_URL = /^https?:\/\/[^/?#@\s]+(\/[^?#@\s]*)?$/;

/** Why a provider cannot be set up like this; undefined if it can. */
export function nameFault(name: string, protocol: string | undefined): string | undefined {
  if (!PROVIDER_NAME.test(name)) return 'is not the name of a provider: write letters, digits, "-" and "_"';
  const hasOwn = PROTOCOL_NAMES.some((known) => known === name && known !== 'openai');
  return hasOwn && protocol !== undefined ? `has a protocol of its own: leave protocol out` : undefined;
}

/** Providers as a deployment passes them on, by name: their settings have been checked before. Keys are in a secret. */
const deployedProviders = v.record(
  v.string(),
  v.object({
    protocol: v.optional(v.literal('openai')),
    baseUrl: v.optional(v.string()),
    strictRoles: v.optional(v.boolean()),
    /** Seconds. */
    idleTimeout: v.optional(v.number()),
    apiVersion: v.optional(v.string()),
  }),
);
export type DeployedProviders = v.InferOutput<typeof deployedProviders>;

/**
 * The settings that models are made from, of providers as they were deployed.
 * @param json of `DeployedProviders`
 */
export function openDeployedProviders(json: string): {
  providers: string[];
  baseUrl(provider: string): string | undefined;
  settings(provider: string): ProviderSettings;
} {
  const byName = new Map(Object.entries(v.parse(v.pipe(v.string(), v.parseJson(), deployedProviders), json)));
  return {
    providers: ownProviders(byName),
    baseUrl: (name) => byName.get(name)?.baseUrl,
    settings(name) {
      const { idleTimeout, ...settings } = byName.get(name) ?? {};
      return { ...settings, silenceMs: idleTimeout && idleTimeout * 1000 };
    },
  };
}

/** The names of those that are known by configuration. */
export function ownProviders(
  configured: Iterable<readonly [string, { protocol?: string | undefined }]>,
): string[] {
  return [...configured].flatMap(([name, { protocol }]) => (protocol === undefined ? [] : [name]));
}
