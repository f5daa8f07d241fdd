import type { Executions } from '../machine/executions.ts';
import { FORMAT } from '../machine/format.ts';
import type { RunStore } from '../records/ports.ts';
import type { RunRequest } from '../records/request.ts';

interface StartPorts {
  store: RunStore;
  executions: Pick<Executions, 'start'>;
}

/** Saves the request and starts its run. @returns the execution's ARN */
export async function startRun(
  id: string,
  request: RunRequest,
  { store, executions }: StartPorts,
): Promise<string> {
  await store.saveRequest(id, request);
  return executions.start(id, { v: FORMAT, agent: request.agent, run: id, depth: 0 });
}
