import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import type { AskedLimits } from '../../../places/run-request.ts';
import { isAnyLeft } from '../../../core/lifecycle/recover.ts';
import { assertTop, resumeRun } from '../../../core/lifecycle/resume.ts';
import { ANSWERED, isIn } from '../../../core/records/phase.ts';
import { addBudget } from './added-budget.ts';
import { findRun, runNotFound } from './find-run.ts';
import { tellOutside } from './tell-outside.ts';
import { followRun, printEnd } from './follow-run.ts';
import type { RunIo } from '../terminal/io.ts';
import { openPipelineOf, type WhereRunsAre } from './open-pipeline.ts';

export interface ResumeCommandOptions extends WhereRunsAre, AskedLimits {
  /** Seconds, in place of those that the run was opened with. */
  timeout?: number;
  verbose?: boolean;
  json?: boolean;
}

/**
 * `cadre resume`: goes on with a run after a crash, a stop or a failure, and prints what `run` would have printed. No
 * turn that was finished is paid again; a run that has its answer just prints it, unless agents below it were
 * interrupted.
 * @param word which run: see findRun
 * @throws {ConfigError} if there is no such run, or if it is not the top of its tree
 */
export async function resume(word: string, options: ResumeCommandOptions, io: RunIo): Promise<number> {
  const { pipeline, sources } = await openPipelineOf(options, io, runNotFound(word));
  const follow = {
    env: options.env,
    agentsDir: options.agentsDir,
    verbose: options.verbose ?? false,
    json: options.json ?? false,
  };
  try {
    const run = await findRun(word, pipeline.store);
    assertTop(run);
    const ports = { ...pipeline, now: Date.now };
    if (isIn(ANSWERED, run) && !(await isAnyLeft(run, ports))) {
      return await printEnd(run.id, pipeline.store, follow, io);
    }
    await addBudget(run.root, options, io.user, pipeline);
    if (sources !== undefined) {
      // The tools and names that its sub-agents are shown may have changed since it began.
      const loaded = await loadAgent(run.agent, sources.source).catch(() => undefined);
      if (loaded !== undefined) await tellOutside(run.agent, loaded, sources, io);
    }
    const start = async () => (await resumeRun(run, options.timeout, ports)).execution;
    return await followRun(run.id, start, pipeline, follow, io);
  } finally {
    await pipeline.close();
  }
}
