import type { RunStore } from '../conversation/ports.ts';
import { isRunId, parseRunId } from '../conversation/run-id.ts';
import { usageOf, type Run } from '../conversation/run.ts';
import { ConfigError } from '../errors.ts';
import type { LocalStore } from './local-store.ts';
import { createRunLocks } from './run-lock.ts';

/** A run as it is shown: `interrupted` where no process carries it out any more although it has not ended. */
export type ShownRun = Omit<Run, 'status'> & { status: Run['status'] | 'interrupted' };

/** @throws {ConfigError} if nothing of the kind is kept here */
export async function findRun(id: string, store: RunStore): Promise<Run> {
  const run = isRunId(id) ? await store.run(id) : undefined;
  if (run === undefined) throw runNotFound(id);
  return run;
}

export function runNotFound(id: string): ConfigError {
  return new ConfigError(`run not found: ${id}; see: cadre runs`);
}

/** A run with everything below it, parents first, as it is at this moment. */
export async function shownTree(run: Run, { runs, folder }: LocalStore): Promise<ShownRun[]> {
  const { path } = parseRunId(run.id);
  const below = (await runs.tree(run.id)).filter(
    (other) => path === '' || other.id === run.id || parseRunId(other.id).path.startsWith(`${path}_`),
  );
  const abandoned = !(await createRunLocks(folder).isHeld(run.root));
  return Promise.all(
    below.map(async (other) => {
      if (other.status !== 'running') return other;
      // The record of a run is written when it ends; until then its turns tell what it did.
      const usage = usageOf(await runs.turns(other.id));
      return { ...other, usage, status: abandoned ? 'interrupted' : 'running' };
    }),
  );
}

/** What `--json` says of a run in a list or a tree. */
export function runOverview(run: ShownRun) {
  return {
    run_id: run.id,
    agent: run.agent,
    status: run.status,
    model: run.model,
    depth: run.depth,
    ...(run.parent !== undefined && { parent: run.parent }),
    started_at: run.startedAt,
    duration_ms: run.endedAt === undefined ? null : Date.parse(run.endedAt) - Date.parse(run.startedAt),
    turns: run.usage.turns,
    tool_calls: run.usage.toolCalls,
    input_tokens: run.usage.inputTokens,
    output_tokens: run.usage.outputTokens,
    ...(run.failure !== undefined && { error: run.failure.message }),
  };
}
