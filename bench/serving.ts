import { openAgentFolders } from '../src/authoring/loading/folders/agent-folders.ts';
import { accessTo } from '../src/doors/api/local-access.ts';
import { startLocalServer } from '../src/doors/api/local-server.ts';
import type { LocalPipeline } from '../src/places/local/local-pipeline.ts';

/** The server of `cadre serve` on loopback, for the agents of a folder, which keeps no schedules. */
export async function serveFolder(pipeline: LocalPipeline, folder: string) {
  return startLocalServer({
    pipeline,
    source: openAgentFolders({ cwd: folder, env: {}, agentsDir: 'agents' }),
    access: await accessTo('127.0.0.1', undefined),
    port: 0,
    models: [],
    clock: { now: Date.now, sleepUntil: (_, signal) => aborted(signal) },
    takesUp: false,
    tell: () => {},
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
