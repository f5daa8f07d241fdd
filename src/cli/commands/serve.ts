import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { accessTo } from '../../api/local-access.ts';
import { startLocalServer } from '../../api/local-server.ts';
import { parseModels } from '../../api/to-request.ts';
import { openLocalPipeline } from '../../pipeline/local-pipeline.ts';
import { localSources } from '../../pipeline/local-sources.ts';
import type { Clock } from '../../schedule/follow-schedules.ts';
import { keepInside } from '../../workspace/outside.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';

export interface ServeOptions {
  host: string;
  port: number;
  agentsDir?: string;
}

/** `cadre serve`: the HTTP API and the schedules of the agents here, until Ctrl-C. @returns the exit code */
export async function serve({ host, port, agentsDir }: ServeOptions, io: RunIo): Promise<number> {
  const access = await accessTo(host, io.env['CADRE_TOKEN']);
  const models = parseModels(io.env['CADRE_API_MODELS']);
  const tell = (line: string) => io.stderr(`${oneLine(line)}\n`);
  const { findOutside, ...sources } = await localSources(io, agentsDir);
  const source = keepInside(sources.source, findOutside, (line) => tell(`Warning: ${line}`));
  // A folder of --agents-dir that cannot be read is reported now and not at the first request.
  await source.list();
  const pipeline = await openLocalPipeline({ cwd: io.cwd, ...sources, source });
  try {
    const server = await startLocalServer({
      pipeline,
      source,
      access,
      port,
      models,
      clock: systemClock,
      tell,
    });
    if (access.isTokenNew)
      tell(`Token, created for this start (set CADRE_TOKEN to use your own): ${access.token}`);
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
