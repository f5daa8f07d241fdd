import type { RunStore } from '../../runs/ports.ts';
import { isRunId } from '../../runs/run-id.ts';
import type { Run } from '../../runs/run.ts';
import { ConfigError } from '../../errors.ts';

/** @throws {ConfigError} if nothing of the kind is kept here */
export async function findRun(id: string, store: RunStore): Promise<Run> {
  const run = isRunId(id) ? await store.run(id) : undefined;
  // The store knows a run by its key and path; whoever mistypes its agent's name means another run.
  if (run === undefined || run.id !== id) throw runNotFound(id);
  return run;
}

export function runNotFound(id: string): ConfigError {
  return new ConfigError(`run not found: ${id}; see: cadre runs`);
}
