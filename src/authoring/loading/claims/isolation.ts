import { ConfigError } from '../../../errors.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import type { FileClaim } from './claim.ts';

/** That commands can be isolated on this machine, if they are to be. */
export function isolation({ sandbox }: Agent): FileClaim {
  return {
    path: ['sandbox', 'kind'],
    async check() {
      if (sandbox.kind === 'none') return;
      const { sandboxFault } = await import('../../../places/local/sandbox.ts');
      const fault = await sandboxFault(process.env['PATH']);
      if (fault !== undefined) throw new ConfigError(fault);
    },
  };
}
