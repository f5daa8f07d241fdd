import { checkRequest } from './check-request.ts';
import type { Environment } from '../environment.ts';
import { createLocalEnvironment } from './local-environment.ts';
import type { LocalPipelineOptions } from './local-pipeline.ts';
import { lookIntoLocalStore, type LocalStore } from './local-store.ts';

export interface FolderOptions {
  /** Absolute: its store lies in its `.cadre/` folder. */
  cwd: string;
  /** Where agents and models are, asked for with the first that is to be carried out. */
  sources: () => Promise<Omit<LocalPipelineOptions, 'cwd' | 'local'>>;
  /** The folder's store; absent: it is opened for reading, and made with the first write. */
  local?: LocalStore;
  /** Where Lambda's API is, in place of AWS's own. */
  lambdaEndpoint?: string | undefined;
}

/** The environment of a folder. Looking at records loads no interpreter and no models, and makes nothing. */
export async function openFolder({
  cwd,
  sources,
  lambdaEndpoint,
  ...given
}: FolderOptions): Promise<Environment> {
  const local = given.local ?? (await lookIntoLocalStore(cwd));
  return createLocalEnvironment({
    local,
    now: Date.now,
    async carrier() {
      const [{ openLocalPipeline }, { createLocalCarrier }, found] = await Promise.all([
        import('./local-pipeline.ts'),
        import('./local-carrier.ts'),
        sources(),
      ]);
      const lambda = lambdaEndpoint !== undefined && { lambdaEndpoint };
      return createLocalCarrier(await openLocalPipeline({ cwd, local, ...found, ...lambda }), Date.now);
    },
    check: async (request) => checkRequest(request, cwd, (await sources()).source),
  });
}
