import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import type { RunEvent } from '../../core/events/event.ts';
import type { LiveBus } from '../../core/events/live.ts';
import type { Models } from '../../core/model/model.ts';
import type { CallKey, Sandbox } from '../../core/records/call.ts';
import type { OpenEmbeddings } from '../../core/memory/embeddings.ts';
import type { Opened } from '../../core/records/opened.ts';
import type { Run } from '../../core/records/run.ts';
import { NO_SECRETS, type Secrets } from '../../core/records/secrets.ts';
import type { PlaceLimits } from '../../core/spending/allot.ts';
import type { Prices } from '../../core/spending/prices.ts';
import type { CallFunction, Skills } from '../../core/tool-contracts/tool.ts';
import type { WebSearching } from '../../core/tool-contracts/web-search.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';
import { fetchUrl } from '../../tools/reach/fetch-later.ts';
import type { OpenToolServers } from '../../tools/mcp/ports.ts';
import { noticed } from '../follow/notices.ts';
import type { NotifySettings } from '../notify/settings.ts';
import type { Telemetry } from '../telemetry/local-telemetry.ts';
import { ownMemories } from '../own-memories.ts';
import { ConfigError } from '../../errors.ts';
import { defined } from '../../defined.ts';
import { systemTime, type LocalTime } from '../time.ts';
import { createCommands } from './commands.ts';
import { NO_TRUST, type FolderTrust } from './folder-trust.ts';
import { homeFolder } from './home-folder.ts';
import { localFunctions } from './local-functions.ts';
import { STORE_FOLDER, type LocalStore } from './local-store.ts';
import { openSkills } from './skill-folders.ts';
import { openFolderWorkspace } from './workspace/folder-workspace.ts';

export interface LocalPortsOptions {
  /** Absolute: where the command runs. Its store lies in its `.cadre/` folder. */
  cwd: string;
  /** Of this process; tools that start others hand on variables that are no secrets. */
  env: Readonly<Record<string, string | undefined>>;
  /** The secrets that variables of users' functions refer to; absent: there are none. */
  secrets?: Secrets;
  /** Where Lambda's API is, in place of AWS's own. */
  lambdaEndpoint?: string | undefined;
  /**
   * What stands in for users' functions, in the folder that an agent works in, given absolute with what calls them;
   * absent: that does.
   */
  functionsIn?: ((folder: string, own: CallFunction) => CallFunction) | undefined;
  /** The folder's store, which is closed elsewhere. */
  local: LocalStore;
  source: AgentSource;
  models: Models;
  prices: Prices;
  /** Says how a run, as it was opened, leads out of the project; undefined if it does not. Absent: none does. */
  findStoredOutside?: (opened: Opened) => Promise<string | undefined>;
  /** Whether such a run does not go on here; absent: the user is warned of it. */
  refusesOutside?: boolean;
  /** Hears what this process does in runs, to export it; absent: nothing is exported. Closed with the pipeline. */
  telemetry?: Telemetry | undefined;
  /** The limits per day of the folder; absent: it has none. */
  limits?: PlaceLimits | undefined;
  /** Where people are told of questions; absent: nobody is. */
  notify?: NotifySettings | undefined;
  /** Whether modules may be started; absent: none. */
  trust?: FolderTrust;
  /** Absent: memories are searched by words alone. */
  openEmbeddings?: OpenEmbeddings;
  /** Absent: nobody searches the web. */
  webSearch?: WebSearching;
  /** The servers that agents use, closed with the pipeline; absent: none can be reached. */
  servers?: OpenToolServers;
  /** Absent: the system's. */
  time?: LocalTime;
  /**
   * Called with this process's own events in runs, as they happen: warnings and ends among it, but no pieces of
   * answers.
   */
  notice?: ((event: RunEvent) => void) | undefined;
}

/** The ports of the core in this process and its folder. */
export function createLocalPorts(options: LocalPortsOptions) {
  const { cwd, local, env, source, models, prices, lambdaEndpoint, functionsIn } = options;
  const { secrets = NO_SECRETS, trust = NO_TRUST, time = systemTime } = options;
  const memory = ownMemories({
    memories: local.memories,
    vectors: local.vectors,
    openEmbeddings: options.openEmbeddings ?? noEmbeddings,
    prices,
  });
  const { webSearch } = options;
  const servers = options.servers === undefined ? {} : { servers: options.servers };
  return {
    ...heard(options),
    tools: loadOwnTools,
    ...(webSearch === 'model' && { searchesByModel: true }),
    memories: local.memories,
    models,
    prices,
    limits: options.limits,
    source,
    isAgentFile: source.isAgentFile,
    sandboxFault: async () => (await import('./sandbox.ts')).sandboxFault(env['PATH']),
    ...servers,
    cwd,
    openWorkspace: openFolderWorkspace,
    workspaceOf: ({ workdir = '' }: Opened) => openFolderWorkspace(resolve(cwd, workdir)),
    now: () => time.now(),
    after: (ms: number, callback: () => void) => time.after(ms, callback),
    random: Math.random,
    invocation: randomUUID,
    // This process alone carries the tree: a process that left a mark without a result is gone.
    mayBeAtWork: () => false,
    sleep: (ms: number, signal: AbortSignal) => time.sleep(ms, signal),
    reach(_: Run, opened: Opened, at: CallKey & { answeredAt: string }) {
      const { agent, workdir = '', rules } = opened;
      const folder = resolve(cwd, workdir);
      const root = async () => (await source.read(agent))?.root;
      const callFunction = localFunctions({ root, env, secrets, trust, lambdaEndpoint });
      const skills = opened.skills && openSkills(opened, root);
      return {
        workspace: openFolderWorkspace(folder),
        commands: createCommands({
          cwd: folder,
          env,
          isolate: isolation(rules?.sandbox, folder, skills, options),
        }),
        fetchUrl,
        ...defined({ webSearch: webSearch === 'model' ? undefined : webSearch, skills }),
        ...memory(opened, at),
        callFunction: functionsIn?.(folder, callFunction) ?? callFunction,
        ...servers,
      };
    },
  };
}

async function noEmbeddings(): Promise<never> {
  throw new ConfigError('there are no models for embeddings here');
}

function isolation(
  sandbox: Sandbox | undefined,
  workdir: string,
  skills: Skills | undefined,
  { cwd, env, source }: LocalPortsOptions,
) {
  if (sandbox === undefined) return undefined;
  return async () => {
    const { isolated } = await import('./sandbox.ts');
    const deciding = await source.decidingFiles?.();
    const home = homeFolder(env);
    const path = env['PATH'];
    const opened = await Promise.all((skills?.names ?? []).map(async (name) => skills?.open(name)));
    const folders = opened.flatMap((skill) => skill?.folder ?? []);
    const store = resolve(cwd, STORE_FOLDER);
    return isolated({ ...sandbox, workdir, store, home, path, deciding, skills: folders });
  };
}

/** The store and the bus to use, so that listeners hear the events of this process. */
function heard({ local: { runs, feed }, notice, telemetry }: LocalPortsOptions) {
  if (notice === undefined && telemetry === undefined) return { store: runs, live: feed };
  const { store, live } = noticed(runs, (event) => {
    telemetry?.heard(event);
    notice?.(event);
  });
  const both: LiveBus = {
    tell(event) {
      feed.tell(event);
      live.tell(event);
    },
  };
  return { store, live: both };
}
