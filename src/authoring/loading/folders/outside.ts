import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  AgentFileError,
  type AgentSource,
  type LoadedAgent,
} from '../../../core/agent-schema/agent-source.ts';
import type { Opened } from '../../../core/records/opened.ts';
import { resolveSkill } from '../../../core/agent-schema/skill.ts';
import { configFolder } from '../../config/config-folder.ts';
import { locate } from '../../toml/locate.ts';
import type { AgentFoldersOptions } from './agent-folders.ts';
import { isInside } from '../../../places/local/workspace/inside.ts';

// A repository that was cloned can hold agents, and what they are shown is sent to a model's API. So an agent of a
// project is kept to its project; the user's own agents may lead anywhere.

/** @returns the paths in the file that lead out of its project, with places: `file:line:column: …` */
export type FindOutside = (loaded: LoadedAgent) => Promise<string[]>;

/** Says what of a run, as it was opened, leads out of the project; undefined if nothing does. */
export type FindStoredOutside = (
  opened: Pick<Opened, 'agent' | 'servers' | 'skill' | 'workdir'>,
) => Promise<string | undefined>;

/**
 * What is stored may have come with a repository as its agents have, and says nothing of who chose a folder.
 * @param trusted folders, absolute, that agents of any project may lead to
 */
export function createFindStoredOutside(
  options: AgentFoldersOptions,
  trusted: readonly string[],
  source: AgentSource,
): FindStoredOutside {
  const { cwd, env } = options;
  const projects = projectFolders(options);
  return async (opened) => {
    const allowed = await Promise.all([...projects, ...trusted].map(realOf));
    const firstOutside = async (named: readonly NamedPath[]) => {
      for (const each of named) {
        const real = await realOf(each.path);
        if (!allowed.some((folder) => isInside(real, folder))) return each;
      }
      return undefined;
    };
    // Most runs are inside, and their agents' files need not be read, which may be broken by now.
    if (opened.skill === undefined && (await firstOutside(storedPaths(opened, cwd, cwd))) === undefined)
      return;
    const loaded = await source.read(opened.agent).catch(() => undefined);
    // The user's own agents may lead anywhere, as their files say it now.
    const own =
      loaded?.root === configFolder(env) ? storedPaths(asOpened(loaded.agent), cwd, loaded.root) : [];
    const isOwn = ({ key, path }: NamedPath) => own.some((each) => each.key === key && each.path === path);
    const outside = await firstOutside(
      storedPaths(opened, cwd, loaded?.root ?? cwd).filter((each) => !isOwn(each)),
    );
    return (
      outside && `the ${outside.key} ${JSON.stringify(outside.written)} of this run leads out of the project`
    );
  };
}

/** A path in an agent's file or a record. */
interface NamedPath {
  /** What it is. */
  key: string;
  written: string;
  /** Absolute, with links. */
  path: string;
}

/** The paths that a run goes on with. Modules are looked at when they are called (`findModule`). */
function storedPaths(
  { workdir = '', skill = '', servers = {} }: Pick<Opened, 'servers' | 'skill' | 'workdir'>,
  cwd: string,
  root: string,
): NamedPath[] {
  const folders = Object.values(servers).flatMap(({ name, reach }) =>
    reach.kind === 'command'
      ? [
          {
            key: `folder of server ${JSON.stringify(name)}`,
            written: reach.cwd,
            path: resolve(cwd, reach.cwd),
          },
        ]
      : [],
  );
  const skills = skill === '' ? [] : [{ key: 'skill', written: skill, path: resolveSkill(skill, root) }];
  return [{ key: 'workdir', written: workdir, path: resolve(cwd, workdir) }, ...skills, ...folders];
}

function asOpened({ workdir, skill, mcpServers }: LoadedAgent['agent']) {
  const servers = Object.fromEntries(mcpServers.map((server) => [server.name, server]));
  return { workdir: workdir.trim(), skill: skill.trim(), servers };
}

/** @param trusted folders, absolute, that agents of any project may lead to */
export function createFindOutside(options: AgentFoldersOptions, trusted: readonly string[]): FindOutside {
  const { cwd, env } = options;
  const own = configFolder(env);
  const folder = options.agentsDir === undefined ? undefined : resolve(cwd, options.agentsDir);
  const projects = projectFolders(options);

  return async ({ agent, root, file }) => {
    if (folder === undefined ? root === own : folder === join(own, 'agents')) return [];
    const named = [
      { at: ['workdir'], written: agent.workdir, path: resolve(cwd, agent.workdir.trim()) },
      { at: ['skill'], written: agent.skill, path: resolveSkill(agent.skill, root) },
      ...agent.mcpServers.flatMap(({ reach }, index) =>
        reach.kind === 'command'
          ? [{ at: ['mcp_servers', index, 'cwd'], written: reach.cwd, path: resolve(cwd, reach.cwd) }]
          : [],
      ),
    ].filter(({ written }) => written.trim() !== '');
    if (named.length === 0) return [];
    const allowed = await Promise.all([...projects, ...trusted].map(realOf));
    const complaints = [];
    for (const { at, written, path } of named) {
      const real = await realOf(path);
      if (allowed.some((each) => isInside(real, each))) continue;
      const reason =
        `${at.at(-1)} ${JSON.stringify(written)} leads out of the project, to ${JSON.stringify(real)}; ` +
        `where that is meant, name its folder in folders under [trust] in ${join(own, 'config.toml')}`;
      complaints.push({ path: at, reason });
    }
    return file === undefined ? complaints.map(({ reason }) => reason) : locate(complaints, file);
  };
}

/**
 * Agents for callers who are not the user: one that leads out of its project is refused.
 * @param tell takes each link and its target, once; the callers are not told
 */
export function keepInside(
  source: AgentSource,
  findOutside: FindOutside,
  tell: (line: string) => void,
): AgentSource {
  const warned = new Set<string>();
  return {
    ...source,
    async read(name) {
      const loaded = await source.read(name);
      const outside = loaded === undefined ? [] : await findOutside(loaded);
      if (outside.length === 0) return loaded;
      for (const line of outside.filter((each) => !warned.has(each))) {
        warned.add(line);
        tell(line);
      }
      const path = loaded?.file?.path ?? name;
      throw new AgentFileError(`${path}: it leads out of its project, which is not allowed here`, path);
    },
  };
}

/** The folders that agents are kept to: the current one, and that of the agents where one is named. */
export function projectFolders({ cwd, agentsDir }: AgentFoldersOptions): string[] {
  return agentsDir === undefined ? [cwd] : [cwd, projectOf(resolve(cwd, agentsDir))];
}

/** The folder above one that is called agents; one of another name may be the whole clone. */
function projectOf(agentsFolder: string): string {
  return basename(agentsFolder) === 'agents' ? dirname(agentsFolder) : agentsFolder;
}

/** The path without links, as far as it is there. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(await realOf(above), basename(path));
  }
}
