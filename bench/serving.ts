import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { openAgentFolders } from '../src/authoring/loading/folders/agent-folders.ts';
import { openingsIn } from '../src/doors/api/folder-context.ts';
import { accessTo } from '../src/doors/api/local-access.ts';
import { startLocalServer } from '../src/doors/api/local-server.ts';
import type { Folder } from '../src/places/local/local-environment.ts';
import { cpuTimeToldBy, spawnCommand } from './node-process.ts';

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

/** `cadre serve` in a process of its own, as users have it. */
export async function serveCommand(folder: string): Promise<{ server: ChildProcess; url: string }> {
  const server = spawnCommand(['serve', '--port', '0'], folder);
  if (server.stderr === null) throw new Error('the server has no stderr');
  for await (const line of createInterface(server.stderr)) {
    const [url] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
    if (url === undefined) continue;
    server.stderr.resume();
    return { server, url };
  }
  throw new Error('the server has ended');
}

/** Milliseconds that the threads of such a process are at work from its start to its end, without a request. */
export async function cpuTimeOfServing(folder: string): Promise<number> {
  const { server } = await serveCommand(folder);
  server.kill('SIGINT');
  return cpuTimeToldBy(server);
}
