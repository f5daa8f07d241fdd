import { ConfigError } from '../../../errors.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import { sandboxFault } from '../../../places/local/sandbox.ts';
import type { FileClaim } from './claim.ts';

/** That commands can be isolated on this machine, if they are to be. */
export function isolation({ sandbox }: Agent): FileClaim {
  return {
    path: ['sandbox', 'kind'],
    async check() {
      const fault = sandbox.kind === 'none' ? undefined : await sandboxFault(process.env['PATH']);
      if (fault !== undefined) throw new ConfigError(fault);
    },
  };
}
