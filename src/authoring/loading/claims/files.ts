import { posix } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import { workdirOf } from '../../../core/agent-schema/context.ts';
import { isPattern } from '../../../core/agent-schema/is-pattern.ts';
import { assertReadable, type ReadableFiles } from '../../../core/agent-schema/workspace.ts';
import type { FileClaim } from './claim.ts';

/** Where an agent's files are looked for. */
export interface FilePorts {
  /** Where the command runs: see `ContextPorts`. */
  cwd: string;
  openWorkspace(workdir: string): ReadableFiles;
}

/** The workdir, and those of the files in it that are to be looked for. */
export function fileClaims(
  agent: Agent,
  { cwd, openWorkspace }: FilePorts,
  isLookedFor: (pattern: string) => boolean,
): FileClaim[] {
  const workdir = workdirOf(agent, {}, cwd);
  const workspace = openWorkspace(workdir);
  const readable = assertReadable(workspace).then(
    () => true,
    () => false,
  );
  const findPaths = async (pattern: string) =>
    (await import('../../../core/agent-schema/context-files.ts')).findPaths([pattern], workspace);
  const claims = agent.files.map((pattern, index) => ({
    path: ['files', index],
    word: pattern,
    async check() {
      if (!(await readable) || (await findPaths(pattern)).length > 0) return;
      const quoted = JSON.stringify(pattern);
      const what = isPattern(pattern) ? `no file matches ${quoted}` : `file ${quoted} does not exist`;
      throw new ConfigError(`${what} in ${workdir}`);
    },
    known: async () => (isPattern(pattern) ? [] : findPaths(posix.join(posix.dirname(pattern), '*'))),
  }));
  return [
    { path: ['workdir'], check: () => assertReadable(workspace) },
    ...claims.filter(({ word }) => isLookedFor(word)),
  ];
}
