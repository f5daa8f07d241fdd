import { ConfigError } from '../errors.ts';
import type { Executions } from '../executions/executions.ts';
import type { RunStore } from '../runs/ports.ts';
import { executionName } from '../runs/run-id.ts';
import { hasAnswer, type Run, type RunRequest } from '../runs/run.ts';

interface StartPorts {
  store: RunStore;
  executions: Executions;
}

/** Leaves the request in the store and starts its run. @returns the execution's ARN */
export async function startRun(
  id: string,
  request: RunRequest,
  { store, executions }: StartPorts,
): Promise<string> {
  await store.saveRequest(id, request);
  return executions.start(id, { agent: request.agent, run: id, depth: 0 });
}

/**
 * Goes on with a run that has no answer, in a new execution, as it was opened. What is left of its tree is stopped
 * first, so that nothing is carried by two.
 * @param timeout seconds from now on, in place of those that it was opened with
 * @returns the execution's ARN
 * @throws {ConfigError} if the run is no tree's top, has its answer, or is being carried out
 */
export async function resumeRun(
  run: Run,
  timeout: number | undefined,
  { store, executions }: StartPorts,
): Promise<string> {
  if (run.parent !== undefined) {
    throw new ConfigError(`"${run.id}" is a sub-agent's run; resume the whole tree: "${run.root}"`);
  }
  if (hasAnswer(run)) throw new ConfigError(`run "${run.id}" already has an answer: it is ${run.status}`);
  if (run.status === 'running' && (await executions.isRunning(run.execution))) {
    throw new ConfigError(`run "${run.id}" is running; wait for it, or stop it first`);
  }
  for (const { status, execution } of await store.tree(run.id)) {
    if (status === 'running' && (await executions.isRunning(execution))) {
      await executions.stop(execution, `run "${run.id}" is resumed`);
    }
  }
  const holder = run.holder + 1;
  return executions.start(executionName(run.id, holder), {
    agent: run.agent,
    run: run.id,
    holder,
    depth: 0,
    ...(timeout !== undefined && { timeout }),
  });
}
