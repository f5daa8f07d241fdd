import { isAbsolute } from 'node:path';
import * as v from 'valibot';
import { ConfigError } from '../../errors.ts';
import { defined } from '../../defined.ts';
import { checkToml } from '../toml/check-toml.ts';
import { keysOf } from '../../known-keys.ts';
import { locate, type Complaint, type TomlFile } from '../toml/locate.ts';
import { decodeToml, isTable, parseToml, type TomlTable, TomlSyntaxError } from '../../parse-toml.ts';
import { apiKeyVariable, baseUrlVariable, PROVIDER_NAMES } from '../../core/model/model-name.ts';
import {
  BASE_URL,
  LONGEST_IDLE,
  nameFault,
  ownProviders,
  PROTOCOLS,
  type ProviderSettings,
} from '../../core/model/provider-settings.ts';
import { dollars } from '../../core/agent-schema/key-types.ts';
import { limitsPerDay, type LimitsPerDay } from '../../core/records/limits-per-day.ts';
import type { Price } from '../../core/spending/price.ts';
import {
  WEB_SEARCH_PROVIDERS,
  webSearchFault,
  type WebSearchSettings,
} from '../../core/tool-contracts/web-search.ts';
import type { PricesByModel } from '../../core/spending/prices.ts';
import { LocalNotify, tellsAnybody, type NotifySettings } from '../../places/notify/settings.ts';
import { configFile } from './config-folder.ts';

/** The configuration of models and their providers. A non-empty environment variable takes precedence over the file. */
export interface GlobalConfig {
  /** `<PROVIDER>_API_KEY`, else `api_key` of the file. Never to be shown. */
  apiKey(provider: string): string | undefined;

  /**
   * `CADRE_<PROVIDER>_BASE_URL`, else `base_url` of the file, without a slash at its end.
   * @throws {ConfigError} if it is no http or https URL
   */
  baseUrl(provider: string): string | undefined;

  /** The file's other settings of a provider. */
  settings(provider: string): ProviderSettings;

  /** The names of providers that the file sets up besides the known ones. */
  providers: readonly string[];

  /** The prices that the file sets for models: `[prices."provider/model"]`. */
  prices: PricesByModel;

  /** A secret for a server of tools or a function of the user's own: the environment variable of that name, else `[secrets]` of the file. */
  secret(name: string): string | undefined;

  /** All that is secret in the file, by what it is called there: to keep it out of other files. */
  secretsOfFile: readonly (readonly [name: string, value: string])[];

  /** Who searches the web for agents: `[web_search]`; absent: nobody. */
  webSearch?: WebSearchSettings;
  /** Where people are told of questions; undefined: nobody is. */
  notify: NotifySettings | undefined;
  /** What a day may cost in each folder: `[limits]`; undefined: there is no limit. */
  limits: LimitsPerDay | undefined;

  /** The agent whose card of Agent2Agent is that of `cadre serve`: `[serve] a2a`; absent: the only one that is offered. */
  a2a: string | undefined;

  /** Absolute paths of folders outside of a project that its agents may lead to: `[trust] folders`. */
  trusted: readonly string[];
}

export interface GlobalConfigPorts {
  env: Readonly<Record<string, string | undefined>>;
  /** @returns undefined if there is no such file. @throws {ConfigError} if it cannot be read */
  readFile(path: string): Promise<Uint8Array | undefined>;
}

const provider = v.object(
  {
    api_key: v.optional(v.string('a string'), ''),
    base_url: v.optional(v.string('a string'), ''),
    protocol: v.exactOptional(v.picklist(PROTOCOLS, PROTOCOLS.map((name) => `"${name}"`).join(' or '))),
    strict_roles: v.exactOptional(v.boolean('true or false')),
    idle_timeout: v.exactOptional(
      v.pipe(
        v.number('a number of seconds'),
        v.gtValue(0, '{key} must be above 0'),
        v.maxValue(LONGEST_IDLE, `{key} cannot exceed ${LONGEST_IDLE} seconds, a day`),
      ),
    ),
    api_version: v.exactOptional(v.string('a string')),
  },
  'a table',
);
const rate = v.pipe(
  v.number('a number'),
  v.finite('a number'),
  v.minValue(0, '{key} must be non-negative, in dollars per million tokens'),
);
/** What is said of a value that is no table, or that lacks a key. */
const tableOr =
  (missing: string) =>
  ({ expected }: { expected: string | null }) =>
    expected === 'Object' ? 'a table' : missing;
const price = v.object(
  { input: rate, output: rate, cache_read: v.optional(rate), cache_write: v.optional(rate) },
  tableOr('{key} is missing: a price has input and output, in dollars per million tokens'),
);
const trust = v.object(
  {
    folders: v.optional(
      v.array(
        v.pipe(v.string('a string'), v.check(isAbsolute, '{key} must be an absolute path')),
        'an array',
      ),
      [],
    ),
  },
  'a table',
);
const webSearch = v.pipe(
  v.object(
    {
      provider: v.picklist(
        WEB_SEARCH_PROVIDERS,
        `one of ${WEB_SEARCH_PROVIDERS.map((name) => `"${name}"`).join(', ')}`,
      ),
      api_key: v.exactOptional(v.string('a string')),
      url: v.exactOptional(
        v.pipe(v.string('a string'), v.regex(BASE_URL, '{key} must be an http or https URL')),
      ),
    },
    tableOr('{key} is missing: it says who searches'),
  ),
  v.transform(({ provider, api_key, url }): WebSearchSettings => ({
    provider,
    ...defined({ apiKey: api_key?.trim() || undefined, url }),
  })),
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? webSearchFault(dataset.value) : undefined;
    if (fault !== undefined) addIssue({ message: `{key}: ${fault}` });
  }),
);
const notify = v.object(LocalNotify, 'a table');
const limits = v.object(
  {
    usd_per_day: dollars('The most dollars a day.'),
    usd_per_owner_per_day: dollars('The same for each owner.'),
  },
  'a table',
);
const serve = v.object({ a2a: v.exactOptional(v.string('a string')) }, 'a table');
const schema = v.object({
  providers: v.optional(
    v.pipe(
      v.record(v.string(), provider, 'a table'),
      v.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return;
        for (const [key, value] of Object.entries(dataset.value)) {
          const fault = nameFault(key, value.protocol);
          const path = { type: 'object', origin: 'value', input: dataset.value, key, value } as const;
          if (fault !== undefined) addIssue({ message: `{key} ${fault}`, path: [path] });
        }
      }),
    ),
    {},
  ),
  prices: v.optional(v.record(v.string(), price, 'a table'), {}),
  trust: v.optional(trust, {}),
  web_search: v.exactOptional(webSearch),
  secrets: v.optional(v.record(v.string(), v.string('a string'), 'a table'), {}),
  notify: v.optional(notify),
  limits: v.optional(limits, {}),
  serve: v.optional(serve, {}),
});

/**
 * Reads `config.toml` in the user's folder, if there is one.
 * @throws {ConfigError} `failed to parse config: <file:line:column: reason>`, which never repeats what the file says
 */
export async function loadGlobalConfig({ env, readFile }: GlobalConfigPorts): Promise<GlobalConfig> {
  const path = configFile(env);
  const bytes = await readFile(path);
  const {
    providers,
    prices,
    trust: trusting,
    web_search: searching,
    secrets,
    notify: telling,
    limits: limiting,
    serve: serving,
  } = bytes
    ? await parse({ bytes, path })
    : {
        providers: {},
        prices: {},
        trust: { folders: [] },
        web_search: undefined,
        secrets: {},
        notify: undefined,
        limits: undefined,
        serve: {},
      };
  const ofFile = new Map(Object.entries(providers));
  const ownSecrets = new Map(Object.entries(secrets));

  return {
    apiKey: (name) => env[apiKeyVariable(name)]?.trim() || ofFile.get(name)?.api_key.trim() || undefined,
    baseUrl(name) {
      const variable = baseUrlVariable(name);
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
    settings(name) {
      const { protocol, strict_roles, idle_timeout, api_version } = ofFile.get(name) ?? {};
      const silenceMs = idle_timeout && idle_timeout * 1000;
      return { protocol, strictRoles: strict_roles, silenceMs, apiVersion: api_version };
    },
    providers: ownProviders(ofFile),
    prices: new Map(Object.entries(prices).map(([model, set]) => [model, toPrice(set)])),
    // An agent's file chooses the name, which must not find what every object has, such as "constructor".
    secret: (name) =>
      (Object.hasOwn(env, name) && env[name]?.trim()) || ownSecrets.get(name)?.trim() || undefined,
    secretsOfFile: [
      ...Object.entries(secrets),
      ...[...ofFile].map(([name, { api_key }]) => [apiKeyVariable(name), api_key] as const),
      ...(searching?.apiKey === undefined ? [] : [['web_search.api_key', searching.apiKey] as const]),
      ...(['webhook', 'secret', 'slack'] as const).map((name) => [name, telling?.[name] ?? ''] as const),
    ].map(([name, value]) => [name, value.trim()] as const),
    ...defined({ webSearch: searching }),
    notify: tellsAnybody(telling) ? telling : undefined,
    limits:
      limiting &&
      limitsPerDay({ usdPerDay: limiting.usd_per_day, usdPerOwnerPerDay: limiting.usd_per_owner_per_day }),
    a2a: serving.a2a,
    trusted: trusting.folders,
  };
}

/** Where a cache costs nothing else, reading from it and writing to it cost as much as input. */
function toPrice({ input, output, cache_read, cache_write }: v.InferOutput<typeof price>): Price {
  return { input, output, cacheRead: cache_read ?? input, cacheWrite: cache_write ?? input };
}

async function parse(file: TomlFile) {
  let document: TomlTable;
  try {
    document = parseToml(decodeToml(file.bytes));
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error;
    const { line, column } = error.position;
    throw new ConfigError(`failed to parse config: ${file.path}:${line}:${column}: ${error.message}`, {
      cause: error,
    });
  }
  const known = {
    providers: Object.fromEntries(
      [...PROVIDER_NAMES, ...writtenProviders(document)].map((name) => [name, keysOf(provider)]),
    ),
    prices: Object.fromEntries(pricedModels(document).map((name) => [name, keysOf(price)])),
    trust: keysOf(trust),
    // Its keys are those of others, too: they are meant only where the table is there.
    web_search: isTable(document['web_search']) ? { provider: '', api_key: '', url: '' } : '',
    notify: keysOf(notify),
    limits: keysOf(limits),
    serve: keysOf(serve),
    secrets: Object.fromEntries(
      Object.keys(isTable(document['secrets']) ? document['secrets'] : {}).map((name) => [name, '']),
    ),
  };
  const { typeFaults, ruleFaults, unknownKeys, output } = checkToml(schema, document, known, {
    secret: true,
  });
  const unknown = unknownKeys.map(({ reason, ...each }) => {
    const isProvider = each.path.length === 2 && each.path[0] === 'providers';
    return { ...each, reason: isProvider ? `${reason} (one of your own has protocol = "openai")` : reason };
  });
  const faults = [typeFaults, ruleFaults.slice(0, 1), [...unknown, ...strayPrices(document)]];
  const [fault] = await locate(faults.find(({ length }) => length > 0) ?? [], file);
  if (fault !== undefined || output === undefined) {
    throw new ConfigError(`failed to parse config: ${fault ?? `${file.path}: it is not a valid config`}`);
  }
  return output;
}

/** The models that the file sets a price for: names that the user gives. */
function pricedModels({ prices }: TomlTable): string[] {
  return isTable(prices) ? Object.keys(prices) : [];
}

/** Providers that the file sets up besides the known ones: names that the user gives. */
function writtenProviders({ providers }: TomlTable): string[] {
  const written = Object.entries(isTable(providers) ? providers : {});
  return written.flatMap(([name, table]) => (isTable(table) && 'protocol' in table ? [name] : []));
}

/** Prices that no model can have. */
function strayPrices(document: TomlTable): Complaint[] {
  const providers = [...new Set([...PROVIDER_NAMES, ...writtenProviders(document)])].sort();
  return pricedModels(document)
    .filter((model) => !providers.some((name) => model.startsWith(`${name}/`)))
    .map((model) => ({
      path: ['prices', model],
      isOfKey: true,
      reason: `a price for ${JSON.stringify(model)}, which is no "provider/model"; providers are ${providers.join(', ')}`,
    }));
}
