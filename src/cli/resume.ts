import type { Run } from '../conversation/run.ts';
import { ConfigError } from '../errors.ts';
import { followRun, printEnd, type FollowOptions } from './follow-run.ts';
import type { RunIo } from './io.ts';
import type { Pipeline } from './pipeline.ts';
import { findRun } from './runs.ts';

/**
 * `cadre resume`: goes on with a run after a crash, a stop or a failure, and prints what `run` would have printed. No
 * turn that was finished is paid again; a run that has its answer just prints it.
 * @throws {ConfigError} if there is no such run, or if it is not the top of its tree
 */
export async function resumeRun(
  id: string,
  pipeline: Pipeline,
  options: FollowOptions,
  io: RunIo,
): Promise<number> {
  const run = await findRun(id, pipeline.store);
  assertTop(run);
  if (run.status === 'succeeded') return printEnd(id, pipeline, options, io);
  const start = () => pipeline.executions.start(id, { agent: run.agent, depth: 0 });
  return followRun(id, start, pipeline, options, io);
}

function assertTop(run: Run): void {
  if (run.parent === undefined) return;
  throw new ConfigError(
    `"${run.id}" is a sub-agent's run; resume the whole tree with: cadre resume ${run.root}`,
  );
}
