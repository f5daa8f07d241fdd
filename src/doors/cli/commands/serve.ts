import { once } from 'node:events';
import { accessTo } from '../../api/local-access.ts';
import { startLocalServer } from '../../api/local-server.ts';
import { scheduledAgents } from '../../api/served-schedules.ts';
import { systemClock } from '../../../authoring/schedule/follow-schedules.ts';
import { keptReports } from '../../../authoring/eval/kept-in-folder.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { API_DOORS, CLIENT_DOORS, servedText, type Door } from '../terminal/served-text.ts';
import { openServedAgents } from './served-agents.ts';

export interface ServeOptions {
  host: string;
  port: number;
  agentsDir?: string;
  /** Whether it goes on with what earlier servers of this folder have left. */
  resume: boolean;
}

/**
 * `cadre serve`: serves the page, the HTTP API, the other doors over HTTP, and the schedules of the agents here. Ctrl-C
 * stops all runs; after another signal the next server continues them.
 * @returns the exit code
 */
export async function serve({ host, port, agentsDir, resume }: ServeOptions, io: RunIo): Promise<number> {
  const access = await accessTo(host, io.env['CADRE_TOKEN']);
  const { folder, source, models, a2a, openings, signIns, tell } = await openServedAgents(agentsDir, io);
  // Runs go on from here, which a signal is to stop.
  const { interrupted } = io;
  try {
    const server = await startLocalServer({
      folder,
      source,
      access,
      port,
      models,
      a2a,
      openings,
      signIns,
      evaluations: () => keptReports(io.cwd),
      clock: systemClock,
      takesUp: resume,
      tell,
    });
    const scheduled = await scheduledAgents(source, () => {}); // the one that follows the schedules tells of faults
    const names = scheduled.map(({ agent }) => agent).join(', ');
    const schedules: Door[] = names === '' ? [] : [['schedules', names]];
    const doors = [...API_DOORS, ...CLIENT_DOORS, ...schedules];
    const isRead = io.terminal !== undefined;
    servedText({ what: 'this folder', url: server.url, access, isRead, doors }).forEach(tell);
    if (!interrupted.aborted) await once(interrupted, 'abort');
    const signal: unknown = interrupted.reason;
    // Only Ctrl-C comes from a person who sees the runs: containers are replaced, and terminals are lost.
    if (signal === 'SIGTERM' || signal === 'SIGHUP') await server.leave();
    else await server.close();
    return EXIT.success;
  } finally {
    await folder.close();
  }
}
