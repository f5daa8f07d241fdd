import { openAgentFolders } from '../src/authoring/loading/folders/agent-folders.ts';
import { openingsIn } from '../src/doors/api/folder-context.ts';
import { accessTo } from '../src/doors/api/local-access.ts';
import { startLocalServer } from '../src/doors/api/local-server.ts';
import type { Folder } from '../src/places/local/local-environment.ts';

/** The server of `cadre serve` on loopback, for the agents of a folder, which keeps no schedules. */
export async function serveFolder(folder: Folder, cwd: string) {
  return startLocalServer({
    folder,
    source: openAgentFolders({ cwd, env: {}, agentsDir: 'agents' }),
    access: await accessTo('127.0.0.1', undefined),
    port: 0,
    models: [],
    openings: openingsIn(cwd),
    clock: { now: Date.now, sleepUntil: (_, signal) => aborted(signal) },
    takesUp: false,
    tell: () => {},
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
