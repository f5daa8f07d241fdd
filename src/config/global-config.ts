import { join } from 'node:path';
import * as v from 'valibot';
import { ConfigError } from '../errors.ts';
import { checkToml, type Finding } from '../toml/check-toml.ts';
import { decodeToml } from '../toml/decode-toml.ts';
import { isTable, type TomlDocument, TomlSyntaxError } from '../toml/toml-document.ts';
import { apiKeyVariable } from '../models/api-key-variable.ts';
import { PROVIDER_NAMES } from '../models/registry.ts';
import type { Price } from '../pricing/price.ts';
import type { PricesByModel } from '../pricing/prices.ts';
import { configFolder } from './config-folder.ts';

/** What is set up for models and their providers. A non-empty environment variable goes before the file. */
export interface GlobalConfig {
  /** `<PROVIDER>_API_KEY`, else `api_key` of the file. Never to be shown. */
  apiKey(provider: string): string | undefined;

  /**
   * `CADRE_<PROVIDER>_BASE_URL`, else `base_url` of the file, without a slash at its end.
   * @throws {ConfigError} if it is no http or https URL
   */
  baseUrl(provider: string): string | undefined;

  /** What models cost that the file sets a price for: `[prices."provider/model"]`. */
  prices: PricesByModel;

  /** What is odd about the file but stops nobody: `file:line:column: …`. */
  warnings: string[];
}

export interface GlobalConfigPorts {
  env: Readonly<Record<string, string | undefined>>;
  /** @returns undefined if there is no such file. @throws {ConfigError} if it cannot be read */
  readFile(path: string): Promise<Uint8Array | undefined>;
}

const provider = v.object(
  { api_key: v.optional(v.string('a string'), ''), base_url: v.optional(v.string('a string'), '') },
  'a table',
);
const rate = v.pipe(
  v.number('a number'),
  v.finite('a number'),
  v.minValue(0, 'a price must be non-negative, in dollars for a million tokens'),
);
const price = v.object(
  { input: rate, output: rate, cache_read: v.optional(rate), cache_write: v.optional(rate) },
  'a price must have input and output, in dollars for a million tokens',
);
const schema = v.object({
  providers: v.optional(v.record(v.string(), provider, 'a table'), {}),
  prices: v.optional(v.record(v.string(), price, 'a table'), {}),
});

/**
 * Reads `config.toml` in the user's folder, if there is one.
 * @throws {ConfigError} `failed to parse config: <file:line:column: reason>`, which never repeats what the file says
 */
export async function loadGlobalConfig({ env, readFile }: GlobalConfigPorts): Promise<GlobalConfig> {
  const path = join(configFolder(env), 'config.toml');
  const bytes = await readFile(path);
  const { providers, prices, warnings } = bytes
    ? parse(bytes, path)
    : { providers: {}, prices: {}, warnings: [] };
  const ofFile = new Map(Object.entries(providers));

  return {
    apiKey: (name) => env[apiKeyVariable(name)]?.trim() || ofFile.get(name)?.api_key.trim() || undefined,
    baseUrl(name) {
      const variable = `CADRE_${toVariablePart(name)}_BASE_URL`;
      const fromEnv = env[variable]?.trim();
      const url = fromEnv || ofFile.get(name)?.base_url.trim();
      if (!url) return undefined;
      if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
        const place = fromEnv ? variable : `providers.${name}.base_url in ${path}`;
        // The URL is not shown: it may hold a password.
        throw new ConfigError(`${place} must be an http or https URL`);
      }
      return url.replace(/\/+$/, '');
    },
    prices: new Map(Object.entries(prices).map(([model, set]) => [model, toPrice(set)])),
    warnings,
  };
}

/** Where a cache costs nothing else, what is read from it or written to it costs what input does. */
function toPrice({ input, output, cache_read, cache_write }: v.InferOutput<typeof price>): Price {
  return { input, output, cacheRead: cache_read ?? input, cacheWrite: cache_write ?? input };
}

function toVariablePart(provider: string): string {
  return provider.toUpperCase().replaceAll('-', '_');
}

function parse(bytes: Uint8Array, path: string) {
  const inFile = ({ position, reason }: Finding) => `${path}:${position.line}:${position.column}: ${reason}`;
  let document: TomlDocument;
  try {
    document = decodeToml(bytes);
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    const reason = inFile({ position: error.position, reason: error.message });
    throw new ConfigError(`failed to parse config: ${reason}`, { cause: error });
  }
  const known = {
    providers: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, { api_key: '', base_url: '' }])),
    prices: Object.fromEntries(
      pricedModels(document).map((name) => [name, { input: 0, output: 0, cache_read: 0, cache_write: 0 }]),
    ),
  };
  const { typeFaults, ruleFaults, unknownKeys, output } = checkToml(schema, document, known, {
    secret: true,
  });
  if (output === undefined) {
    const fault = typeFaults[0] ?? ruleFaults[0];
    const reason = fault ? inFile(fault) : `${path}: it is not a valid config`;
    throw new ConfigError(`failed to parse config: ${reason}`);
  }
  return { ...output, warnings: [...unknownKeys, ...strayPrices(document)].map(inFile) };
}

/** The models that the file sets a price for: names that the user gives. */
function pricedModels({ value }: TomlDocument): string[] {
  return isTable(value['prices']) ? Object.keys(value['prices']) : [];
}

/** Prices that no model can have. */
function strayPrices(document: TomlDocument): Finding[] {
  return pricedModels(document)
    .filter((model) => !PROVIDER_NAMES.some((name) => model.startsWith(`${name}/`)))
    .map((model) => ({
      position: document.placeOf(['prices', model]).key,
      reason: `a price for ${JSON.stringify(model)}, which is no "provider/model"; providers are ${PROVIDER_NAMES.join(', ')}`,
    }));
}
