import type { RunEvent } from '../../core/events/event.ts';
import { messageOf } from '../../errors.ts';
import { createLocalCarrier, type LocalCarrier } from '../../places/local/local-carrier.ts';
import { createLocalEnvironment } from '../../places/local/local-environment.ts';
import type { LocalPipeline } from '../../places/local/local-pipeline.ts';
import { checkRequest } from '../../places/local/check-request.ts';
import type { ApiContext } from './context.ts';

export interface FolderContextOptions extends Pick<ApiContext, 'models' | 'now' | 'source'> {
  pipeline: LocalPipeline;
  /** Takes a line for people, without its newline. */
  tell: (line: string) => void;
}

/** What doors to a folder are handed, and what carries its runs out here. Faults that no client may read are told. */
export function folderContext({ pipeline, source, models, now, tell }: FolderContextOptions): {
  context: ApiContext;
  carrier: LocalCarrier;
} {
  const carrier = createLocalCarrier(pipeline, now, (thrown) => tell(`Error: ${messageOf(thrown)}`));
  const environment = createLocalEnvironment({
    local: pipeline.local,
    carrier: async () => carrier,
    check: (request) => checkRequest(request, pipeline.cwd, source),
    now,
  });
  const context: ApiContext = {
    environment,
    source,
    models,
    streams: true,
    now,
    log: ({ id, method, path, thrown }) => {
      const trace = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      tell(`Error: ${id}: ${method} ${path}: ${trace}`);
    },
  };
  return { context, carrier };
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
