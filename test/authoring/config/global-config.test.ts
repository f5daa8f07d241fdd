import { describe, expect, it, test } from 'vitest';
import { loadGlobalConfig } from '../../../src/authoring/config/global-config.ts';
import { ConfigError } from '../../../src/errors.ts';
import { readSmallFile } from '../../../src/places/local/workspace/small-file.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';

/** Loads the config of a user whose file has this text. */
async function load(toml: string | typeof emptyFolder | undefined, env: Record<string, string> = {}) {
  const root = await tempFolder(toml === undefined ? {} : { 'cadre/config.toml': toml });
  return loadGlobalConfig({
    env: { XDG_CONFIG_HOME: root, ...env },
    readFile: (path) => readSmallFile(path, `failed to read config ${path}`),
  });
}

/** The error of loading, with the user's folder written as ROOT. */
async function complaint(toml: string | typeof emptyFolder): Promise<string> {
  const error: unknown = await load(toml).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError))
    throw new Error('it loads, or fails with another error', { cause: error });
  return error.message.replaceAll(/\/[^ :]*\/cadre\//g, 'ROOT/');
}

const FILE = `
[providers.openai]
api_key = "file-key"
base_url = "https://file.example/v1/"
[providers.my-own]
protocol = "openai"
api_key = " "
base_url = "http://localhost:8080"
strict_roles = true
`;

describe('the settings of a provider', () => {
  it('is nothing where there is no file and no variable', async () => {
    const config = await load(undefined, { OPENAI_API_KEY: '', CADRE_OPENAI_BASE_URL: ' ' });
    expect([config.apiKey('openai'), config.baseUrl('openai')]).toEqual([undefined, undefined]);
  });

  it('comes from the file', async () => {
    const config = await load(FILE);
    expect([config.apiKey('openai'), config.baseUrl('openai')]).toEqual([
      'file-key',
      'https://file.example/v1',
    ]);
    expect([config.apiKey('my-own'), config.baseUrl('my-own')]).toEqual([undefined, 'http://localhost:8080']);
    expect([config.apiKey('anthropic'), config.baseUrl('anthropic')]).toEqual([undefined, undefined]);
    expect(
      ['my-own', 'openai', 'anthropic', '__proto__'].map((name) => config.settings(name).strictRoles),
    ).toEqual([true, undefined, undefined, undefined]);
    expect([config.apiKey('toString'), config.baseUrl('__proto__')]).toEqual([undefined, undefined]);
  });

  it('comes from the environment first, where that is not empty', async () => {
    const config = await load(FILE, {
      OPENAI_API_KEY: ' env-key\n',
      CADRE_OPENAI_BASE_URL: '',
      MY_OWN_API_KEY: 'own-key',
      CADRE_MY_OWN_BASE_URL: 'https://env.example',
      ANTHROPIC_API_KEY: 'anthropic-key',
    });
    expect([config.apiKey('openai'), config.baseUrl('openai')]).toEqual([
      'env-key',
      'https://file.example/v1',
    ]);
    expect([config.apiKey('my-own'), config.baseUrl('my-own')]).toEqual(['own-key', 'https://env.example']);
    expect(config.apiKey('anthropic')).toBe('anthropic-key');
  });

  it('is refused where an address is none', async () => {
    const config = await load('[providers.openai]\nbase_url = "localhost:8080"', {
      CADRE_OLLAMA_BASE_URL: 'ftp://me:secret@localhost',
    });
    expect(() => config.baseUrl('ollama')).toThrow(
      new ConfigError('CADRE_OLLAMA_BASE_URL must be an http or https URL'),
    );
    expect(() => config.baseUrl('openai')).toThrow(
      /^providers\.openai\.base_url in .*config\.toml must be an http or https URL$/,
    );
  });
});

describe('the price of a model', () => {
  const PRICES = `
[prices."openai/my-model"]
input = 2
output = 8.5
[prices."anthropic/claude-next"]
input = 3
output = 15
cache_read = 0.3
cache_write = 3.75
`;

  it('comes from the file; tokens from a cache cost what input does unless it says otherwise', async () => {
    expect(Object.fromEntries((await load(PRICES)).prices)).toEqual({
      'openai/my-model': { input: 2, output: 8.5, cacheRead: 2, cacheWrite: 2 },
      'anthropic/claude-next': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    });
    expect((await load(undefined)).prices).toEqual(new Map());
  });

  it.each([
    [
      'input = 1',
      '1:2: prices.openai/x.output is missing: a price has input and output, in dollars per million tokens',
    ],
    [
      'input = 1\noutput = -1',
      '3:10: prices.openai/x.output must be non-negative, in dollars per million tokens',
    ],
    ['input = "1"\noutput = 1', '2:9: prices.openai/x.input must be a number'],
    ['input = inf\noutput = 1', '2:9: prices.openai/x.input must be a number'],
    [
      'input = 1\noutput = 1\ncached = 1',
      '4:1: unknown key "prices.openai/x.cached", known here: input, output, cache_read, cache_write',
    ],
  ])('is refused where it is none: %j', async (price, reason) => {
    expect(await complaint(`[prices."openai/x"]\n${price}`)).toBe(
      `failed to parse config: ROOT/config.toml:${reason}`,
    );
  });
});

describe('folders that agents of any project may lead to', () => {
  it('come from the file', async () => {
    expect((await load('[trust]\nfolders = ["/srv/handbook"]')).trusted).toEqual(['/srv/handbook']);
    expect((await load('[trust]')).trusted).toEqual([]);
    expect((await load(undefined)).trusted).toEqual([]);
  });

  it.each([
    ['folders = ["docs"]', '2:12: trust.folders[0] must be an absolute path'],
    ['folders = "/srv"', '2:11: trust.folders must be an array'],
    ['folders = [1]', '2:12: trust.folders[0] must be a string'],
  ])('are refused where they are none: %j', async (folders, reason) => {
    expect(await complaint(`[trust]\n${folders}`)).toBe(`failed to parse config: ROOT/config.toml:${reason}`);
  });
});

describe('who searches the web', () => {
  it('comes from the file, with a key that is kept out of other files', async () => {
    const config = await load('[web_search]\nprovider = "brave"\napi_key = " key-of-brave "\n');
    expect(config.webSearch).toEqual({ provider: 'brave', apiKey: 'key-of-brave' });
    expect(config.secretsOfFile).toContainEqual(['web_search.api_key', 'key-of-brave']);
    expect((await load('[web_search]\nprovider = "tavily"\n')).webSearch).toEqual({ provider: 'tavily' });
    expect((await load('[web_search]\nprovider = "model"\n')).webSearch).toEqual({ provider: 'model' });
    expect((await load('')).webSearch).toBeUndefined();
  });

  it.each([
    [
      'provider = "google"',
      /^2:12: web_search.provider must be one of "tavily", "brave", "searxng", "model"/,
    ],
    ['url = "https://a.example"', /^1:2: web_search.provider is missing: it says who searches$/],
    ['provider = "searxng"', /web_search: searxng has no usual place: set the url of a server$/],
    [
      'provider = "model"\napi_key = "x"',
      /web_search: the provider of the model searches with its own key: leave out the key and the url$/,
    ],
    ['provider = "searxng"\nurl = "ftp://a"', /^3:7: web_search.url must be an http or https URL$/],
    ['provider = "brave"\nkey = "sk-secret"', /^3:1: unknown key "web_search.key"/],
  ])('is refused where it cannot be used: %j', async (toml, reason) => {
    const said = (await complaint(`[web_search]\n${toml}`)).replace(
      'failed to parse config: ROOT/config.toml:',
      '',
    );
    expect(said).toMatch(reason);
    expect(said).not.toContain('sk-secret');
  });
});

describe('a config file', () => {
  it.each([
    ['[providers.openai]\napi_key = "sk-secret', 'ROOT/config.toml:2:11: unfinished string'],
    [
      '[providers.openai]\napi_key = ["sk-secret"]',
      'ROOT/config.toml:2:11: providers.openai.api_key must be a string',
    ],
    [
      '[providers.acme]\nprotocol = "grpc"',
      'ROOT/config.toml:2:12: providers.acme.protocol must be "openai"',
    ],
    [
      '[providers.anthropic]\nprotocol = "openai"',
      'ROOT/config.toml:1:2: providers.anthropic has a protocol of its own: leave protocol out',
    ],
    [
      '[providers."a/b"]\nprotocol = "openai"',
      'ROOT/config.toml:1:2: providers.a/b is not the name of a provider: write letters, digits, "-" and "_"',
    ],
    [
      '[providers.ollama]\nidle_timeout = 0',
      'ROOT/config.toml:2:16: providers.ollama.idle_timeout must be above 0',
    ],
    [
      '[providers.ollama]\nidle_timeout = inf',
      'ROOT/config.toml:2:16: providers.ollama.idle_timeout cannot exceed 86400 seconds, a day',
    ],
    [
      '[providers.openai]\nstrict_roles = "yes"',
      'ROOT/config.toml:2:16: providers.openai.strict_roles must be true or false',
    ],
    ['providers = "sk-secret"', 'ROOT/config.toml:1:13: providers must be a table'],
    ['providers = ["sk-secret"]', 'ROOT/config.toml:1:13: providers must be a table'],
    ['[providers]\nopenai = "sk-secret"', 'ROOT/config.toml:2:10: providers.openai must be a table'],
    ['[[providers.openai]]\napi_key = "sk-secret"', 'ROOT/config.toml:1:3: providers.openai must be a table'],
    ['api_key = sk-secret', 'ROOT/config.toml:1:11: invalid value (texts stand in quotes: "…")'],
  ])('that is malformed is refused where it is, without what it says (%#)', async (toml, reason) => {
    expect(await complaint(toml)).toBe(`failed to parse config: ${reason}`);
  });

  it('that cannot be read is refused', async () => {
    expect(await complaint(emptyFolder)).toBe(
      'failed to read config ROOT/config.toml: it is a folder, not a file',
    );
  });

  it.each([
    ['[provider.openai]\napi_key = "sk-secret"', '1:2: unknown key "provider", did you mean "providers"?'],
    [
      '[providers.openai]\nbaseurl = "https://sk-secret"',
      '2:1: unknown key "providers.openai.baseurl", did you mean "providers.openai.base_url"?',
    ],
    ['[trust]\nfolder = ["/"]', '2:1: unknown key "trust.folder", did you mean "trust.folders"?'],
    [
      '[providers.opnai]\napi_key = "sk-secret"',
      '1:2: unknown key "providers.opnai", did you mean "providers.openai"? (one of your own has protocol = "openai")',
    ],
    [
      '[providers.acme]\nbase_url = "https://sk-secret"',
      '1:2: unknown key "providers.acme", known here: anthropic, azure, bedrock, gemini, groq, lmstudio, mistral, offline, ollama, openai, openrouter, scripted, vllm (one of your own has protocol = "openai")',
    ],
    [
      '[prices.foo]\ninput = 1\noutput = 1',
      '1:2: a price for "foo", which is no "provider/model"; providers are anthropic, azure, bedrock, gemini, groq, lmstudio, mistral, offline, ollama, openai, openrouter, scripted, vllm',
    ],
  ])('with a key that is not known is refused: %j', async (toml, reason) => {
    expect(await complaint(toml)).toBe(`failed to parse config: ROOT/config.toml:${reason}`);
  });

  it('may have keys of the user’s own', async () => {
    const own = '[x]\nowner = "me"\n[providers.openai]\napi_key = "k"\nx-account = 1';
    expect((await load(own)).apiKey('openai')).toBe('k');
  });

  it('sets up providers of the user’s own', async () => {
    const price = 'input = 1\noutput = 1\n';
    const config = await load(
      `[providers.acme]\nprotocol = "openai"\nidle_timeout = 30.5\n[providers.azure]\napi_version = "2024-10-21"\nstrict_roles = false\n[prices."acme/big-one"]\n${price}`,
      { ACME_API_KEY: 'k', CADRE_ACME_BASE_URL: 'https://acme.example', AZURE_OPENAI_API_KEY: 'a' },
    );
    expect(config.providers).toEqual(['acme']);
    expect([config.apiKey('acme'), config.baseUrl('acme'), config.apiKey('azure')]).toEqual([
      'k',
      'https://acme.example',
      'a',
    ]);
    expect(['acme', 'azure', 'groq'].map(config.settings)).toEqual([
      { protocol: 'openai', silenceMs: 30_500 },
      { apiVersion: '2024-10-21', strictRoles: false },
      {},
    ]);
  });
});

test('a secret of which only the name is in every object is missing', async () => {
  const { secret } = await load('[secrets]\nDOCS = "d"');
  expect(['DOCS', 'constructor', '__proto__', 'toString'].map(secret)).toEqual([
    'd',
    undefined,
    undefined,
    undefined,
  ]);
});
