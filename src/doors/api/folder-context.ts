import type { RunEvent } from '../../core/events/event.ts';
import { createPrices } from '../../core/spending/prices.ts';
import { openFolderWorkspace } from '../../places/local/workspace/folder-workspace.ts';
import type { AgentsContext, ApiContext, Openings } from './context.ts';

export interface FolderContextOptions extends Pick<
  ApiContext,
  'a2a' | 'environment' | 'models' | 'now' | 'source'
> {
  /** Takes a line for people, without its newline. */
  tell: (line: string) => void;
}

/** What doors to a folder are handed. Faults that no client may read are told. */
export function folderContext({ tell, ...served }: FolderContextOptions): ApiContext {
  return {
    ...served,
    streams: true,
    log: ({ id, method, path, thrown }) => {
      const trace = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      tell(`Error: ${id}: ${method} ${path}: ${trace}`);
    },
  };
}

/** How runs of agents begin that work in a folder. @param cwd absolute */
export function openingsIn(
  cwd: string,
  { prices = createPrices(), providers = [] }: Partial<Pick<Openings, 'prices' | 'providers'>> = {},
): AgentsContext['openings'] {
  return async () => ({ cwd, openWorkspace: openFolderWorkspace, prices, providers });
}

/**
 * The news for a person who serves agents: warnings, and runs that failed.
 * @param tell takes a line, without its newline
 */
export function servedNotices(tell: (line: string) => void): (event: RunEvent) => void {
  return (event) => {
    if (event.type === 'warning') tell(`Warning: ${event.message}`);
    // A sub-agent's failure is its parent's matter.
    if (event.type !== 'run_closed' || event.depth > 0) return;
    if (event.status === 'failed' || event.status === 'timed_out') {
      tell(`Error: run ${event.run} ${event.status.replace('_', ' ')}: ${event.reason}`);
    }
  };
}
