import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { accessTo } from '../../api/local-access.ts';
import { startLocalServer } from '../../api/local-server.ts';
import type { Clock } from '../../schedule/follow-schedules.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { openServedAgents } from './served-agents.ts';

export interface ServeOptions {
  host: string;
  port: number;
  agentsDir?: string;
}

/** `cadre serve`: the HTTP API and the schedules of the agents here, until Ctrl-C. @returns the exit code */
export async function serve({ host, port, agentsDir }: ServeOptions, io: RunIo): Promise<number> {
  const access = await accessTo(host, io.env['CADRE_TOKEN']);
  const { pipeline, source, models, tell } = await openServedAgents(agentsDir, io);
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
