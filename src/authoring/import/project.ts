import type { Note } from './keys.ts';

/** The files of a project that its agents are read from, and depend on. */
export interface Project {
  /**
   * The text of a file.
   * @param path from the root of the project, with `/`
   * @returns undefined if there is no such file in the project: a link out of it is none
   * @throws {ConfigError} if there is one that cannot be read
   */
  read(path: string): string | undefined;
  /** Those of the files that were looked for which are links to somewhere else, and so are not read. */
  outside: ReadonlySet<string>;
  /** The way from where Cadre runs to the root of the project, "" if they are the same; absent if it leads out. */
  below?: string;
}

/** A project's instructions to all its agents: AGENTS.md and the like. Cadre shows them as files. */
export interface Instructions {
  files?: string[];
}

/**
 * Those of some files that a project has, as `files` of its agents, which are relative to where Cadre runs.
 * @param notes says of those that are not below that folder, where no agent could read them
 */
export function instructionsOf(
  { read, below }: Project,
  paths: readonly string[],
  notes: Note[],
): Instructions {
  const found = paths.filter((path) => read(path) !== undefined);
  if (found.length === 0) return {};
  if (below !== undefined) return { files: found.map((path) => (below === '' ? path : `${below}/${path}`)) };
  const text = 'not shown to the agents, because it is outside of this folder: copy it, and name it in files';
  notes.push(...found.map((file) => ({ file, line: 1, text })));
  return {};
}
