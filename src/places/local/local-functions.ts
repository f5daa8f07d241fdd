import type { FolderTrust } from './folder-trust.ts';
import { loadOnce } from '../../load-once.ts';
import type { Secrets } from '../../core/records/secrets.ts';
import { functionTarget } from '../../core/agent-schema/targets.ts';
import type { CallFunction } from '../../core/tool-contracts/tool.ts';

export interface LocalFunctionsOptions {
  /** Absolute: the folder that contains the agents/ of the agent whose functions they are. */
  root: () => Promise<string | undefined>;
  /** Of this process. */
  env: Readonly<Record<string, string | undefined>>;
  secrets: Secrets;
  trust: FolderTrust;
  /** Where Lambda's API is, in place of AWS's own. */
  lambdaEndpoint?: string | undefined;
}

/** Calls functions from this machine: modules in processes of their own, and functions of Lambda as the user. */
export function localFunctions(options: LocalFunctionsOptions): CallFunction {
  const { root, env, secrets, trust, lambdaEndpoint: endpoint } = options;
  const load = loadOnce(async () => (await import('../aws/lambda-functions.ts')).lambdaFunctions(endpoint));
  return async (call) => {
    const { source } = call;
    if ('file' in source) {
      const { callModule } = await import('./module-function.ts');
      const folder = await root();
      if (folder === undefined) return { failed: `the agent of module ${source.file} is not there any more` };
      const assertMayStart = () => trust.assertTrusted(async () => [functionTarget(call.name, source)]);
      return callModule(source, call, { root: folder, env, secrets, assertMayStart });
    }
    const invoke = await load();
    return invoke(source.function, call);
  };
}
