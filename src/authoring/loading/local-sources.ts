import { checkModels } from './check-agent.ts';
import type { AgentSource, LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import type { Target } from '../../core/agent-schema/targets.ts';
import { readStart } from '../../core/agent-schema/workspace.ts';
import { apiKeyVariable, isForModels } from '../../core/model/model-name.ts';
import { configFile, loginFolder } from '../config/config-folder.ts';
import { loadGlobalConfig, type GlobalConfig } from '../config/global-config.ts';
import { ConfigError } from '../../errors.ts';
import type { Logins, OpenToolServers } from '../../tools/mcp/ports.ts';
import type { LocalTime } from '../../places/time.ts';
import { createWebSearch } from '../../places/web-search.ts';
import type { WebSearching } from '../../core/tool-contracts/web-search.ts';
import { createLoginFiles } from '../../places/local/login-files.ts';
import { createToolServers } from '../../places/tool-servers.ts';
import type { OpenEmbeddings } from '../../core/memory/embeddings.ts';
import type { Models } from '../../core/model/model.ts';
import { modelFor } from '../../places/models/registry.ts';
import { createPatientFetch } from '../../patient-fetch.ts';
import { createScriptedModel, loadScript } from '../../places/testing/scripted/scripted.ts';
import type { PlaceInScript } from '../../places/testing/scripted/script.ts';
import type { PlaceLimits } from '../../core/spending/allot.ts';
import { createPrices, type Prices } from '../../core/spending/prices.ts';
import type { Secrets } from '../../core/records/secrets.ts';
import { openAgentFolders } from './folders/agent-folders.ts';
import { openFolderWorkspace } from '../../places/local/workspace/folder-workspace.ts';
import {
  createFindOutside,
  createFindStoredOutside,
  projectFolders,
  type FindOutside,
  type FindStoredOutside,
} from './folders/outside.ts';
import { readSmallFile } from '../../places/local/workspace/small-file.ts';
import { defined } from '../../defined.ts';
import type { FolderTrust } from '../../places/local/folder-trust.ts';
import { createFolderTrust } from '../trust/folder-trust.ts';

/** Where a local command finds agents, and models with their keys and prices. */
export interface LocalSources {
  env: Surroundings['env'];
  source: AgentSource;
  models: Models;
  openEmbeddings: OpenEmbeddings;
  /** The names of providers that are set up besides the known ones. */
  providers: readonly string[];
  /** The faults of the models that an agent names, with places if it has a file. */
  modelFaults: (loaded: LoadedAgent) => Promise<string[]>;
  prices: Prices;
  findOutside: FindOutside;
  findStoredOutside: FindStoredOutside;
  /** The values that servers and functions may ask for. */
  secrets: Secrets;
  /** Where people are told of questions; undefined: nobody is. */
  notify: GlobalConfig['notify'];
  /** The limits per day of each folder; undefined: there are none. */
  limits: PlaceLimits | undefined;
  /** Whether what the folder brings along may be started. */
  trust: FolderTrust;
  /** Absent: nobody searches the web. */
  webSearch?: WebSearching;
  /** As in `GlobalConfig`. */
  a2a: string | undefined;
  /** The user's sign-ins to servers. */
  logins: Logins;
  /** The servers that agents use. */
  servers: OpenToolServers;
}

/** The folder and the environment of a command. */
export interface Surroundings {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether whoever names the folder trusts it, as code does that is run in it. */
  isTrusted?: boolean;
  /** Puts a question to the user that is answered with yes or no; absent: nobody can be asked. */
  confirm?: (question: string) => Promise<boolean>;
  /** In which scripted models take long; absent: the system's. */
  time?: LocalTime;
}

/** @throws {ConfigError} if the user's `config.toml` cannot be used */
export async function localSources(
  { cwd, env, isTrusted = false, confirm, time }: Surroundings,
  agentsDir?: string,
): Promise<LocalSources> {
  const config = await localConfig({ env });
  const sources = {
    ...config,
    fetch: createPatientFetch(),
    whereKeysGo: (provider: string) =>
      `set ${apiKeyVariable(provider)}, or api_key under [providers.${provider}] in ${shownConfigFile(env)}, which cadre config init writes`,
    scripted: () => createScriptedModel((path) => readScript(cwd, path), time, placeInScript),
  };
  const secrets = localSecrets(config);
  const folders = { cwd, env, ...defined({ agentsDir }) };
  const source = openAgentFolders(folders);
  const trust = createFolderTrust({
    folders: isTrusted ? [] : projectFolders(folders),
    env,
    confirm,
  });
  const logins = createLoginFiles(loginFolder(env));
  const assertMayStart = (command: Target) => trust.assertTrusted(async () => [command]);
  return {
    env,
    source,
    findOutside: createFindOutside(folders, config.trusted),
    findStoredOutside: createFindStoredOutside(folders, config.trusted, source),
    models: { open: async (model) => modelFor(model, sources) },
    openEmbeddings: async (model) => {
      const { openEmbeddings } = await import('../../places/models/open-embeddings.ts');
      return openEmbeddings(model, sources);
    },
    providers: config.providers,
    modelFaults: (loaded) => checkModels(loaded, config.providers),
    prices: createPrices(config.prices),
    secrets,
    a2a: config.a2a,
    ...(config.webSearch !== undefined && { webSearch: createWebSearch(config.webSearch, secrets) }),
    notify: config.notify,
    limits: config.limits && { perDay: config.limits },
    trust,
    logins,
    servers: createToolServers({
      ...secrets,
      loginsOf: async (owner) => (owner === undefined ? logins : undefined),
      machine: { cwd, env, assertMayStart },
      now: Date.now,
    }),
  };
}

/** The user's `config.toml`, without the name of the user: a run's failure is read by others, too. */
function shownConfigFile(env: Surroundings['env']): string {
  const home = env['HOME'];
  const file = configFile(env);
  return home && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}

/**
 * Secrets as the user's environment and configuration have them, without the keys of any provider that is set up: an
 * agent that came with a repository may name them, too.
 */
export function localSecrets({ secret, providers }: Pick<GlobalConfig, 'secret' | 'providers'>): Secrets {
  return {
    secret: async (name) => (isForModels(name, providers) ? undefined : secret(name)),
    howToGive: (name) =>
      isForModels(name, providers)
        ? 'it is for models and AWS, and is given to no server or function; keep the value under another name'
        : `set ${name} in the environment, or in [secrets] of config.toml`,
  };
}

/**
 * The user's configuration.
 * @throws {ConfigError} if it cannot be used
 */
export function localConfig({ env }: Pick<Surroundings, 'env'>): Promise<GlobalConfig> {
  return loadGlobalConfig({
    env,
    readFile: (path) => readSmallFile(path, `failed to read config ${path}`),
  });
}

/**
 * Looks whether a model `scripted/<path>` has a script to play in a folder.
 * @throws {ConfigError} with the place of the fault
 */
export async function checkScript(folder: string, path: string): Promise<void> {
  await loadScript(path, (file) => readScript(folder, file), placeInScript);
}

/** The parsers that know places are loaded only here: a file that is in order does without them. */
const placeInScript: PlaceInScript = async (path, text, steps) => {
  if (!path.endsWith('.toml')) return (await import('./place-in-json.ts')).placeInJson(text, steps);
  const { findLocations } = await import('../toml/locate.ts');
  const { line, column } = (await findLocations(text))(steps).value;
  return `${line}:${column}`;
};

/** A person wrote it by hand; beyond this it is the wrong file. */
const MAX_SCRIPT_BYTES = 1_000_000;

/**
 * @throws {ConfigError} where a path leads out of the folder by a link, or to an entry that is no file: a pipe, for one
 */
async function readScript(folder: string, path: string): Promise<string> {
  const bytes = await readStart(openFolderWorkspace(folder), path, MAX_SCRIPT_BYTES + 1);
  if (bytes === undefined) throw new ConfigError('the project contains no such readable file');
  if (bytes.length > MAX_SCRIPT_BYTES) {
    throw new ConfigError(`it is too large: at most ${MAX_SCRIPT_BYTES} bytes are allowed`);
  }
  return new TextDecoder().decode(bytes);
}
