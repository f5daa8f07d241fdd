import { basename, dirname, join, resolve } from 'node:path';
import {
  AgentFileError,
  type AgentSource,
  type LoadedAgent,
} from '../../../core/agent-schema/agent-source.ts';
import type { Opened } from '../../../core/records/opened.ts';
import type { ToolServer } from '../../../core/records/tool-server.ts';
import { resolveSkill } from '../../../core/agent-schema/skill.ts';
import { configFolder } from '../../config/config-folder.ts';
import { locate } from '../../toml/locate.ts';
import type { AgentFoldersOptions } from './agent-folders.ts';
import { isInside } from '../../../places/local/workspace/inside.ts';
import { knownRealPathOf } from '../../../places/local/workspace/open-inside.ts';

// A repository that was cloned can hold agents, and what they are shown is sent to a model's API. So an agent of a
// project is kept to its project; the user's own agents may lead anywhere.

/** @returns the paths in the file that lead out of its project, with places: `file:line:column: …` */
export type FindOutside = (loaded: LoadedAgent) => Promise<string[]>;

/** Says what of a run, as it was opened, leads out of the project; undefined if nothing does. */
export type FindStoredOutside = (
  opened: Pick<Opened, 'agent' | 'servers' | 'skill' | 'skills' | 'workdir'>,
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
  const find = createFind(options, trusted);
  return async (opened) => {
    const { skills = [], servers = {} } = opened;
    const stored = (root: string) => [
      ...pathsOf({ ...opened, servers: Object.values(servers) }, cwd, root),
      ...skills.map(({ name, folder }, index) => skillPath(index, name, resolve(root, folder))),
    ];
    // Most runs are inside, and their agents' files need not be read, which may be broken by now.
    const isPlain = opened.skill === undefined && opened.skills === undefined;
    if (isPlain && find(stored(cwd)).length === 0) return undefined;
    const loaded = await source.read(opened.agent).catch(() => undefined);
    // The user's own agents may lead anywhere, as their files say it now.
    const own = loaded?.root === configFolder(env) ? await filePaths(loaded, cwd) : [];
    const isOwn = ({ what, path }: NamedPath) => own.some((each) => each.what === what && each.path === path);
    const [outside] = find(stored(loaded?.root ?? cwd).filter((each) => !isOwn(each)));
    return (
      outside && `the ${outside.what} ${JSON.stringify(outside.written)} of this run leads out of the project`
    );
  };
}

/** @param trusted folders, absolute, that agents of any project may lead to */
export function createFindOutside(options: AgentFoldersOptions, trusted: readonly string[]): FindOutside {
  const { cwd, env } = options;
  const own = configFolder(env);
  const folder = options.agentsDir === undefined ? undefined : resolve(cwd, options.agentsDir);
  const find = createFind(options, trusted);

  return async (loaded) => {
    const { root, file } = loaded;
    if (folder === undefined ? root === own : folder === join(own, 'agents')) return [];
    const complaints = find(await filePaths(loaded, cwd)).map(({ what, at, written, real }) => ({
      path: at,
      reason:
        `${what === 'skill' ? what : at.at(-1)} ${JSON.stringify(written)} leads out of the project, to ${JSON.stringify(real)}; ` +
        `where that is meant, name its folder in folders under [trust] in ${join(own, 'config.toml')}`,
    }));
    return file === undefined ? complaints.map(({ reason }) => reason) : locate(complaints, file);
  };
}

/** A path in an agent's file or a record. */
interface NamedPath {
  /** What it is, for people. */
  what: string;
  /** Where it is in the agent's file. */
  at: (string | number)[];
  written: string;
  /** Absolute, with links. */
  path: string;
}

/** Finds those of some paths that lead out of the project, each with where it leads. */
function createFind(options: AgentFoldersOptions, trusted: readonly string[]) {
  const folders = [...projectFolders(options), ...trusted];
  return (named: readonly NamedPath[]): (NamedPath & { real: string })[] => {
    if (named.length === 0) return [];
    const allowed = folders.map(knownRealPathOf);
    return named
      .map((each) => ({ ...each, real: knownRealPathOf(each.path) }))
      .filter(({ real }) => !allowed.some((folder) => isInside(real, folder)));
  };
}

async function filePaths({ agent, root }: LoadedAgent, cwd: string): Promise<NamedPath[]> {
  const skills = await Promise.all(
    agent.skills.map(async (written, index) => {
      const { foldersOf } = await import('../../skills/find-skills.ts');
      // Where there is none, the run says so.
      const folders = await foldersOf(written, root).catch(() => []);
      return folders.map((folder) => skillPath(index, written, folder));
    }),
  );
  return [...pathsOf({ ...agent, servers: agent.mcpServers }, cwd, root), ...skills.flat()];
}

function skillPath(index: number, written: string, path: string): NamedPath {
  return { what: 'skill', at: ['skills', index], written, path };
}

/** The paths that a run goes on with. Modules are looked at when they are called (`findModule`). */
function pathsOf(
  {
    workdir = '',
    skill = '',
    servers,
  }: Pick<Opened, 'skill' | 'workdir'> & { servers: readonly Pick<ToolServer, 'name' | 'reach'>[] },
  cwd: string,
  root: string,
): NamedPath[] {
  return [
    { what: 'workdir', at: ['workdir'], written: workdir, path: resolve(cwd, workdir.trim()) },
    { what: 'skill', at: ['skill'], written: skill, path: resolveSkill(skill.trim(), root) },
    ...servers.map(({ name, reach }, index) => {
      const written = reach.kind === 'command' ? reach.cwd : '';
      const what = `folder of server ${JSON.stringify(name)}`;
      return { what, at: ['mcp_servers', index, 'cwd'], written, path: resolve(cwd, written) };
    }),
  ].filter(({ written }) => written.trim() !== '');
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
