import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentNotFoundError } from '../../core/agent-schema/agent-source.ts';
import { agentTree } from '../../core/agent-schema/agent-tree.ts';
import { ConfigError } from '../../errors.ts';
import type { Environment } from '../../places/environment.ts';
import { checkRequest } from '../../places/local/check-request.ts';
import { openFolder, type FolderOptions, type FolderSources } from '../../places/local/open-folder.ts';
import { hasLocalStore, openLocalStore } from '../../places/local/local-store.ts';
import { localSources, type LocalSources } from '../../authoring/loading/local-sources.ts';
import type { CadreOptions } from './cadre.ts';

/** Runs in this process, kept in `.cadre/` of the project's folder. */
export async function openProject({
  folder = '.',
  agentsDir,
  lambdaEndpoint,
  onWarning = emitWarning,
}: CadreOptions): Promise<Environment> {
  const cwd = resolve(folder);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`no such folder: ${cwd}`);
  const sources = await localSources({ cwd, env: process.env, isTrusted: true }, agentsDir);
  // A program learns at once that nothing can be kept here.
  if (!hasLocalStore(cwd)) await (await openLocalStore(cwd)).close();
  return openProjectFolder({ ...sources, lambdaEndpoint }, { cwd, onWarning });
}

function emitWarning(message: string): void {
  process.emitWarning(message, 'CadreWarning');
}

/** A program's author is told what a person is told. */
async function addHint(thrown: unknown): Promise<never> {
  if (!(thrown instanceof AgentNotFoundError)) throw thrown;
  throw new ConfigError(thrown.message + (await thrown.hint()), { cause: thrown });
}

export interface ProjectFolderOptions extends Pick<FolderOptions, 'cwd' | 'local' | 'time'> {
  onWarning: (message: string) => void;
}

/** A folder whose agents' faults are told with each start. */
export function openProjectFolder(
  sources: FolderSources & Pick<LocalSources, 'findOutside'>,
  { onWarning, ...folder }: ProjectFolderOptions,
): Promise<Environment> {
  const { source, findOutside } = sources;
  return openFolder({
    ...folder,
    sources: async () => sources,
    async check(request) {
      const loaded = await checkRequest(request, folder.cwd, sources).catch(addHint);
      loaded.warnings.forEach(onWarning);
      for await (const each of agentTree(request.agent, loaded, source))
        (await findOutside(each)).forEach(onWarning);
      return loaded.agent;
    },
  });
}
