import type { Executions } from '../executions/executions.ts';
import type { RunStore } from '../runs/ports.ts';
import type { RunRequest } from '../runs/run.ts';

/** Leaves the request in the store and starts its run. @returns the execution's ARN */
export async function startRun(
  id: string,
  request: RunRequest,
  { store, executions }: { store: RunStore; executions: Executions },
): Promise<string> {
  await store.saveRequest(id, request);
  return executions.start(id, { agent: request.agent, depth: 0 });
}
