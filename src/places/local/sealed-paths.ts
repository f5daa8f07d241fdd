import { lstatSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { DecidingFiles } from '../../core/agent-schema/agent-source.ts';
import { ConfigError } from '../../errors.ts';
import { isInside } from './workspace/inside.ts';
import { realPathOf } from './workspace/open-inside.ts';

// What lies in the workdir and is not for isolated commands. Mounted for bwrap(1).

export interface SealedPaths {
  /** Absolute: the folder that commands may change. */
  workdir: string;
  /** Absolute: the store, of which they see nothing. */
  store: string;
  /** They cannot change these; absent: nothing decides about agents. */
  deciding?: DecidingFiles | undefined;
}

/**
 * Options that keep the store from being read, and from being changed what decides about agents, and a repository: in
 * many places of it are names of programs that git would run outside.
 * @param real the workdir without links
 * @throws {ConfigError} if a command could replace one of them all the same
 */
export function sealed(real: string, { workdir, store, deciding }: SealedPaths): string[] {
  const { folders = [], modules = [], skills = [], config, program } = deciding ?? {};
  const lexical = resolve(workdir);
  const toReal = (path: string) =>
    isInside(path, lexical) ? join(real, relative(lexical, path)) : realPathOf(path);
  // The configuration may hold keys.
  const configuration = config === undefined ? [] : [toReal(dirname(config))];
  const hidden = new Set([toReal(store), join(real, '.cadre'), ...configuration]);
  // Where they are not there they are made, so that no command makes them.
  const made = new Set([...folders.map(toReal), ...configuration, join(real, '.git')]);
  const fixed = [...modules, ...skills, ...(program === undefined ? [] : [program])];
  const paths = new Set([...hidden, ...made, ...fixed.map(toReal)]);
  const bound = new Set<string>();
  // A folder comes before what is in it.
  const inside = [...paths]
    .filter((path) => isInside(path, real) && !between(real, path).some((above) => hidden.has(above)))
    .sort();
  return inside.flatMap((path) => {
    const above = between(real, path);
    assertFixed(path, above, real);
    const kind = kindOf(path);
    if (kind === undefined && !made.has(path)) return [];
    // What something is mounted on can be neither renamed nor replaced.
    const onTheWay = above.filter((folder) => kindOf(folder) !== undefined && !bound.has(folder));
    [...onTheWay, path].forEach((each) => bound.add(each));
    const isEmptied = kind === undefined || hidden.has(path);
    return [
      ...onTheWay.flatMap((folder) => ['--bind', folder, folder]),
      ...(isEmptied ? emptied(path) : ['--ro-bind', path, path]),
    ];
  });
}

/** A folder in which there is nothing, and to which nothing can be added. */
export function emptied(folder: string): string[] {
  return ['--tmpfs', folder, '--remount-ro', folder];
}

function assertFixed(path: string, above: readonly string[], workdir: string): void {
  const no = `commands cannot be isolated in ${workdir}`;
  if (path === workdir) {
    throw new ConfigError(`${no}: it is a folder of agents, which none may change. Move them into agents/`);
  }
  const link = [...above, path].find((each) => kindOf(each) === 'link');
  if (link === undefined) return;
  throw new ConfigError(
    `${no}: ${link} is a link, which a command could replace. Put in its place what it leads to`,
  );
}

/** The folders from one to what lies in it, outermost first, without both. */
function between(root: string, path: string): string[] {
  const above = dirname(path);
  return above === root || path === root ? [] : [...between(root, above), above];
}

function kindOf(path: string): 'file' | 'folder' | 'link' | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return 'link';
  return stats.isDirectory() ? 'folder' : 'file';
}
