import { systemClock } from '../../authoring/schedule/follow-schedules.ts';
import type { ServeToHolder } from '../../authoring/verify/interpreter-rig.ts';
import { openingsIn } from './folder-context.ts';
import { accessTo } from './local-access.ts';
import { startLocalServer } from './local-server.ts';

/** The server of `cadre serve` on a free port, which takes up no runs and prints nothing. */
export const serveToHolder: ServeToHolder = async ({ cwd, folder, source, token }) =>
  startLocalServer({
    folder,
    source,
    access: await accessTo('127.0.0.1', token),
    port: 0,
    models: [],
    openings: openingsIn(cwd),
    clock: systemClock,
    takesUp: false,
    tell: () => {},
  });
