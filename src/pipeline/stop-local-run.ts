import type { Run } from '../runs/run.ts';
import { ConfigError, StoreError, messageOf } from '../errors.ts';
import { closeInterrupted } from './close-interrupted.ts';
import type { LocalStore } from './local-store.ts';

/**
 * Stops a run of this folder. The process that carries it out does so: as by Ctrl-C, or by a request where it serves
 * the API, and carries out others besides. Where that process is gone, what it left open is closed.
 * @throws {ConfigError} if it is a sub-agent's run that cannot be stopped alone
 * @throws {StoreError} if the server that carries it out does not stop it
 */
export async function stopLocalRun(run: Run, local: LocalStore): Promise<void> {
  const holder = await local.locks.holder(run.root);
  if (holder?.purpose === 'close') return; // somebody else stops it, and is about to close it
  const pid = holder?.purpose === 'carry out' ? holder.pid : undefined;
  const api = pid === undefined ? undefined : await local.serving.url(pid);
  if (api !== undefined) return request(`${api}/runs/${run.id}/stop`);
  if (run.parent !== undefined) {
    throw new ConfigError(
      `"${run.id}" is a sub-agent's run; stop the whole tree with: cadre stop ${run.root}`,
    );
  }
  if (pid === undefined) {
    const ports = { store: local.runs, locks: local.locks };
    return closeInterrupted(run, 'stopped by the user', ports, Date.now);
  }
  process.kill(pid, 'SIGINT');
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
