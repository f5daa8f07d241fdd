import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../schedule/follow-schedules.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { openLocalPipeline } from '../../pipeline/local-pipeline.ts';
import { oneLine } from '../terminal/printable.ts';
import { startLocalServer } from '../../api/local-server.ts';
import { localSources } from '../../pipeline/local-sources.ts';

export interface ServeOptions {
  port: number;
  agentsDir?: string;
}

/** `cadre serve`: the HTTP API and the schedules of the agents here, until Ctrl-C. @returns the exit code */
export async function serve({ port, agentsDir }: ServeOptions, io: RunIo): Promise<number> {
  const sources = await localSources(io, agentsDir);
  // Where the folder of --agents-dir cannot be read, that is told now and not at the first request.
  await sources.source.list();
  const pipeline = await openLocalPipeline({ cwd: io.cwd, ...sources });
  try {
    const { source } = sources;
    const tell = (line: string) => io.stderr(`${oneLine(line)}\n`);
    const server = await startLocalServer({ pipeline, source, port, clock: systemClock, tell });
    tell(`Cadre's API on ${server.url}; stop with Ctrl-C`);
    if (!io.interrupted.aborted) await once(io.interrupted, 'abort');
    await server.close();
    return EXIT.success;
  } finally {
    await pipeline.close();
  }
}

const systemClock: Clock = {
  now: () => Date.now(),
  async sleepUntil(time, signal) {
    await delay(Math.max(0, time - Date.now()), undefined, { signal }).catch(() => {}); // it ends with the signal, too
  },
};
