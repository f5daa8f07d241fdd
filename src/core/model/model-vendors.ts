import { PROTOCOL_NAMES, type VendorName } from './model-name.ts';

/** A server that speaks OpenAI's protocol, as far as it differs from a provider that only configuration names. */
export interface Vendor {
  /** Where its API is; absent: each user has an address of their own. */
  baseUrl?: string;
  /** Whether it refuses a user's message after the results of tools. */
  strictRoles?: true;
  /** How requests differ: see `Dialect`. */
  isAzure?: true;
  countsUnasked?: true;
}

/** Those that are known without configuration. All but Azure need no more than a key. */
const VENDORS: Readonly<Record<VendorName, Vendor>> = {
  // https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle
  azure: { isAzure: true },
  // https://ai.google.dev/gemini-api/docs/openai
  gemini: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  // https://console.groq.com/docs/openai
  groq: { baseUrl: 'https://api.groq.com/openai/v1' },
  // https://lmstudio.ai/docs/app/api/endpoints/openai
  lmstudio: { baseUrl: 'http://localhost:1234/v1' },
  // https://docs.mistral.ai/api/: it refuses `stream_options`, and always counts.
  mistral: { baseUrl: 'https://api.mistral.ai/v1', strictRoles: true, countsUnasked: true },
  // https://openrouter.ai/docs/api-reference/overview
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1' },
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
  vllm: { baseUrl: 'http://localhost:8000/v1' },
};

/** @returns an empty entry for a provider that only the user's configuration names */
export function vendorOf(provider: string): Vendor {
  return new Map<string, Vendor>(Object.entries(VENDORS)).get(provider) ?? {};
}

/** Whether a provider has no address unless one is configured. */
export function hasNoAddress(provider: string): boolean {
  const { baseUrl } = vendorOf(provider);
  return baseUrl === undefined && !PROTOCOL_NAMES.some((name) => name === provider);
}
