import { readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { AgentFile, AgentSource } from '../agent/agent-source.ts';
import { configFolder } from '../config/config-folder.ts';
import { ConfigError } from '../errors.ts';
import { fileFault, isMissing } from './file-fault.ts';
import { readSmallFile } from './small-file.ts';

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

/** Agents in the project's `agents/` folder, else in the user's own. */
export function openAgentFolders(options: AgentFoldersOptions): AgentSource {
  const folders = agentFolders(options);

  return {
    async list() {
      const names = new Set<string>();
      for (const folder of folders) {
        for (const name of await namesIn(folder, options.agentsDir === undefined, options.cwd))
          names.add(name);
      }
      return [...names].sort();
    },

    async read(name): Promise<AgentFile | undefined> {
      for (const folder of folders) {
        const path = join(folder, `${name}.toml`);
        const shown = showPath(path, options.cwd);
        const bytes = await readSmallFile(path, shown);
        if (bytes) return { path: shown, root: dirname(folder), bytes };
      }
      return undefined;
    },

    async readSkill(path) {
      const bytes = await readSmallFile(path, `failed to read skill ${path}`);
      return bytes && new TextDecoder().decode(bytes);
    },
  };
}

/** The path as a user at `cwd` would write it. */
function showPath(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way === '' || way.startsWith('..') || isAbsolute(way) ? path : way;
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
