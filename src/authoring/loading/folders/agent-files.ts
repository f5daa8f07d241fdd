import { dirname, extname, join, resolve } from 'node:path';
import type { AgentSource, DecidingFiles } from '../../../core/agent-schema/agent-source.ts';
import { skillFolder } from '../../../core/agent-schema/skill.ts';
import { ownFunctions } from '../../../core/agent-schema/own-functions.ts';
import { ConfigError } from '../../../errors.ts';
import { packageFolder } from '../../../package-folder.ts';
import { isInside } from '../../../places/local/workspace/inside.ts';
import { knownRealPathOf } from '../../../places/local/workspace/open-inside.ts';

export interface AgentFilesOptions {
  /** Absolute: every folder that agents may be read from, by this process or another. */
  folders: readonly string[];
  /** The user's `config.toml`. */
  config: string;
  /** What the user's trust in folders is kept in. */
  trust: string;
  source: Pick<AgentSource, 'list' | 'read'>;
}

/** Cadre's own code, which lies in the workdir where a project has installed it. */
const program = () => join(packageFolder(), 'dist');

/** What decides about agents' permissions, and the skills that they follow. */
export async function decidingFiles({ folders, config, source }: AgentFilesOptions): Promise<DecidingFiles> {
  const names = await source.list();
  const named = await Promise.all(names.map((name) => pathsOf(name, source)));
  return {
    folders,
    config,
    program: program(),
    modules: named.flatMap(({ modules }) => modules),
    skills: named.flatMap(({ skills }) => skills),
  };
}

/**
 * Whether a file decides about agents' permissions: that of an agent, a module that an agent calls, a skill that one may
 * load, the user's configuration and trust, or Cadre itself. Links that lead to one are followed.
 * @param path absolute, without links
 */
export async function isAgentFile(path: string, options: AgentFilesOptions): Promise<boolean> {
  const { folders, config, trust, source } = options;
  const is = (other: string) => isSame(path, knownRealPathOf(other));
  // A file that is not there yet would be an agent's, too.
  if (isToml(path) && folders.some((folder) => isSame(dirname(path), knownRealPathOf(folder)))) return true;
  const isIn = (folder: string) => isInside(plainForm(path), plainForm(knownRealPathOf(folder)));
  if (is(config) || isIn(trust) || isIn(program())) return true;
  const names = await source.list();
  if (names.some((name) => folders.some((folder) => is(join(folder, `${name}.toml`))))) return true;
  const named = await Promise.all(names.map((name) => pathsOf(name, source)));
  return named.some(({ modules, skills }) => modules.some(is) || skills.some(isIn));
}

function isToml(path: string): boolean {
  return extname(path).toLowerCase() === '.toml';
}

/** Some file systems tell neither upper from lower case nor one spelling of an accent from another. */
function isSame(one: string, other: string): boolean {
  return plainForm(one) === plainForm(other);
}

function plainForm(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** What an agent's file names, absolute. */
interface NamedPaths {
  modules: string[];
  /** Folders; of a pattern, the one in which it begins: a new skill in it would be one of the agent's. */
  skills: string[];
}

/** @returns none for an agent that cannot be read, and therefore not run */
async function pathsOf(name: string, source: Pick<AgentSource, 'read'>): Promise<NamedPaths> {
  try {
    const loaded = await source.read(name);
    if (loaded === undefined) return { modules: [], skills: [] };
    const { agent, root } = loaded;
    return {
      modules: ownFunctions(agent).flatMap(({ source: target }) =>
        'file' in target ? [resolve(root, target.file)] : [],
      ),
      skills: agent.skills.map((written) => {
        const folder = skillFolder(written, root);
        return folder.includes('*') ? dirname(folder.slice(0, folder.indexOf('*') + 1)) : folder;
      }),
    };
  } catch (error) {
    if (error instanceof ConfigError) return { modules: [], skills: [] };
    throw error;
  }
}
