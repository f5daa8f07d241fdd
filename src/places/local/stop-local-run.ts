import { ConfigError, StoreError, messageOf } from '../../errors.ts';
import { phaseOf } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { closeAsStopped, closeInterrupted } from '../close-interrupted.ts';
import type { LocalStore } from './local-store.ts';

const CAUSE = 'stopped by the user';

/**
 * Stops a run of this folder. The process that carries it out does so: as by Ctrl-C, or by a request where it serves
 * the API, and carries out others besides. A sub-agent's run is closed here, which that process sees. Where it is gone,
 * what it left open is closed.
 * @throws {ConfigError} if it is an idle fork, which nothing carries out
 * @throws {StoreError} if the server that carries it out does not stop it
 */
export async function stopLocalRun(run: Run, local: LocalStore): Promise<void> {
  if (phaseOf(run) === 'idle') {
    throw new ConfigError(
      `"${run.id}" is idle, so there is nothing to stop; end it for good with: cadre kill ${run.id}`,
    );
  }
  const holder = await local.locks.holder(run.root);
  if (holder?.purpose === 'close') return; // somebody else stops it, and is about to close it
  const ports = { store: local.runs, locks: local.locks };
  if (holder?.purpose !== 'carry out') return closeInterrupted(run, CAUSE, ports, Date.now);
  const api = await local.serving.url(holder.pid);
  if (api !== undefined) return request(`${api}/runs/${run.id}/stop`);
  if (run.parent !== undefined) return closeAsStopped(run, CAUSE, ports.store, Date.now);
  process.kill(holder.pid, 'SIGINT');
}

async function request(url: string): Promise<void> {
  try {
    const token = process.env['CADRE_TOKEN'];
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { ok, status } = await fetch(url, { method: 'POST', headers });
    if (status === 401) throw new StoreError('set CADRE_TOKEN to its token');
    if (!ok) throw new StoreError(`${url} answered ${status}`);
  } catch (error) {
    throw new StoreError(`the server on which the run is running did not stop it: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
