import { readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import {
  AgentFileError,
  type AgentSource,
  type LoadedAgent,
} from '../../../core/agent-schema/agent-source.ts';
import { type AgentFile, parseAgent } from '../parse-agent.ts';
import { configFile, configFolder, trustFolder } from '../../config/config-folder.ts';
import { ConfigError } from '../../../errors.ts';
import { decidingFiles, isAgentFile } from './agent-files.ts';
import { homeFolder } from '../../../places/local/home-folder.ts';
import { isInside } from '../../../places/local/workspace/inside.ts';
import { realPathOf } from '../../../places/local/workspace/open-inside.ts';
import { fileFault, isMissing } from '../../../places/local/workspace/file-fault.ts';
import { readSchemaFile } from './schema-file.ts';
import { readSkillFile } from './skill-file.ts';
import { readSmallFile } from '../../../places/local/workspace/small-file.ts';

export interface AgentFoldersOptions {
  /** Absolute; its `agents/` folder is the project's, and messages show paths relative to it. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** A folder to use in place of both the project's and the user's own. */
  agentsDir?: string;
}

/** The folders in which agents are looked up, first come first served. */
export function agentFolders({ cwd, env, agentsDir }: AgentFoldersOptions): string[] {
  return agentsDir ? [resolve(cwd, agentsDir)] : [join(cwd, 'agents'), join(configFolder(env), 'agents')];
}

/** Those, and the ones that are read where no folder is given: by `cadre serve`, for one. */
function everyFolder({ cwd, env, agentsDir }: AgentFoldersOptions): string[] {
  const given = agentsDir === undefined ? [] : agentFolders({ cwd, env, agentsDir });
  return [...given, ...agentFolders({ cwd, env })];
}

/**
 * Agents in the project's `agents/` folder, else in the user's own. A file that is as it was when it was read last is
 * not checked again.
 */
export function openAgentFolders(options: AgentFoldersOptions): AgentSource {
  const { cwd, agentsDir } = options;
  const known = new Map<string, { file: AgentFile; loaded: LoadedAgent }>();

  const source: AgentSource = {
    folders: agentFolders(options).map((folder) => showFolder(folder, options)),

    async list() {
      const names = new Set<string>();
      for (const folder of agentFolders(options)) {
        for (const name of await namesIn(folder, agentsDir === undefined, cwd)) names.add(name);
      }
      return [...names].sort();
    },

    async above() {
      if (agentsDir !== undefined) return undefined;
      for (let each = cwd; ; each = dirname(each)) {
        const names = await namesIn(join(each, 'agents'), true, cwd).catch(() => []);
        if (names.length > 0) return relative(cwd, each) || undefined;
        if (each === dirname(each)) return undefined;
      }
    },

    async read(name) {
      const file = await findAgentFile(name, options);
      if (file === undefined) return undefined;
      const before = known.get(name);
      if (before !== undefined && isSame(before.file, file)) return before.loaded;
      const loaded = await parseAgent(name, file, readSchemaFile);
      // The file of a schema may change, too.
      if (loaded.schemaFile === undefined) known.set(name, { file, loaded });
      return loaded;
    },

    async readText(name) {
      const file = await findAgentFile(name, options);
      return file && new TextDecoder().decode(file.bytes);
    },

    readSkill: readSkillFile,
    // Few agents list skills, and what reads them takes a while to load.
    skills: async (loaded) =>
      loaded.agent.skills.length === 0
        ? []
        : (await import('../../skills/find-skills.ts')).skillsOf(loaded, cwd),
    isAgentFile: (path) => isAgentFile(path, deciding()),
    decidingFiles: () => decidingFiles(deciding()),
  };
  const deciding = () => ({
    folders: everyFolder(options),
    config: configFile(options.env),
    trust: trustFolder(options.env),
    source,
  });
  return source;
}

/**
 * The file that an agent is read from, with any content.
 * @param name a valid agent name
 * @returns undefined if there is none
 * @throws {AgentFileError} if there is one that cannot be read
 */
export async function findAgentFile(
  name: string,
  options: AgentFoldersOptions,
): Promise<AgentFile | undefined> {
  for (const folder of agentFolders(options)) {
    const path = join(folder, `${name}.toml`);
    const shown = showPath(path, options.cwd);
    try {
      const bytes = await readSmallFile(path, `failed to read agent config "${name}": ${shown}`);
      if (bytes === undefined) continue;
      const root = dirname(folder);
      return {
        path: shown,
        root,
        bytes,
        isForeign: () => !isInside(realPathOf(path), realPathOf(root)),
      };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new AgentFileError(error.message, shown, { cause: error });
    }
  }
  return undefined;
}

function isSame(one: AgentFile, other: AgentFile): boolean {
  return one.path === other.path && Buffer.compare(one.bytes, other.bytes) === 0;
}

/** The path as a user at `cwd` would write it. */
function showPath(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way === '' || way.startsWith('..') || isAbsolute(way) ? path : way;
}

/** The folder as a user at `cwd` would write it to a shell. */
function showFolder(folder: string, { cwd, env }: AgentFoldersOptions): string {
  const below = relative(cwd, folder);
  if (!below.startsWith('..') && !isAbsolute(below)) return below === '' ? '.' : `./${below}`;
  const home = homeFolder(env);
  return folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}

async function namesIn(folder: string, mayBeMissing: boolean, cwd: string): Promise<string[]> {
  try {
    const entries = await readdir(folder);
    return entries
      .filter((entry) => entry.endsWith('.toml') && !entry.startsWith('.'))
      .map((entry) => entry.slice(0, -'.toml'.length));
  } catch (error) {
    if (isMissing(error) && mayBeMissing) return [];
    throw new ConfigError(`failed to read agents folder ${showPath(folder, cwd)}: ${fileFault(error)}`, {
      cause: error,
    });
  }
}
