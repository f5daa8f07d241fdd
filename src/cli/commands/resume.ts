import type { Run } from '../../runs/run.ts';
import { ConfigError } from '../../errors.ts';
import { findRun, runNotFound } from './find-run.ts';
import { followRun, printEnd } from './follow-run.ts';
import type { RunIo } from '../terminal/io.ts';
import { openLocalPipeline } from '../../pipeline/local-pipeline.ts';
import { localSources } from '../../pipeline/local-sources.ts';
import { hasLocalStore } from '../../pipeline/local-store.ts';

export interface ResumeOptions {
  /** Seconds, in place of those that the run was opened with. */
  timeout?: number;
  agentsDir?: string;
  verbose?: boolean;
  json?: boolean;
}

/**
 * `cadre resume`: goes on with a run after a crash, a stop or a failure, and prints what `run` would have printed. No
 * turn that was finished is paid again; a run that has its answer just prints it.
 * @throws {ConfigError} if there is no such run, or if it is not the top of its tree
 */
export async function resumeRun(word: string, options: ResumeOptions, io: RunIo): Promise<number> {
  if (!hasLocalStore(io.cwd)) throw runNotFound(word); // opening it would make one
  const pipeline = await openLocalPipeline({ cwd: io.cwd, ...(await localSources(io, options.agentsDir)) });
  const follow = {
    agentsDir: options.agentsDir,
    verbose: options.verbose ?? false,
    json: options.json ?? false,
  };
  try {
    const run = await findRun(word, pipeline.store);
    const { id } = run;
    assertTop(run);
    if (run.status === 'succeeded' || run.status === 'budget_exceeded')
      return await printEnd(id, pipeline.store, follow, io);
    const { timeout } = options;
    const start = () =>
      pipeline.executions.start(id, {
        agent: run.agent,
        depth: 0,
        ...(timeout !== undefined && { timeout }),
      });
    return await followRun(id, start, pipeline, follow, io);
  } finally {
    await pipeline.close();
  }
}

function assertTop(run: Run): void {
  if (run.parent === undefined) return;
  throw new ConfigError(
    `"${run.id}" is a sub-agent's run; resume the whole tree with: cadre resume ${run.root}`,
  );
}
