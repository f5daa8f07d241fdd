import type { Seconds } from '../../../core/records/times.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import type { AskedLimits } from '../../../places/run-request.ts';
import { assertTop, NothingLeftError } from '../../../core/lifecycle/resume.ts';
import { addedBy } from './added-budget.ts';
import { ANSWERED, isIn } from '../../../core/records/phase.ts';
import { findRun } from './find-run.ts';
import { tellOutside } from './tell-outside.ts';
import { assertModelOption } from './model-option.ts';
import { followRun, printEnd } from './follow-run.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { openEnvironment, type WhereRunsAre } from '../../../authoring/loading/open-environment.ts';

export interface ResumeCommandOptions extends WhereRunsAre, AskedLimits {
  /** In place of the time that the run was opened with. */
  timeout?: Seconds;
  /** `provider/model-name`, in place of the one that the run was opened with. */
  model?: string;
  verbose?: boolean;
  json?: boolean;
}

/**
 * `cadre resume`: continues a run after a crash, a stop or a failure, and prints what `run` would have printed. No
 * finished turn is paid for again. A run that has its answer just prints it, unless agents below it were interrupted.
 * @param word which run: see findRun
 * @throws {ConfigError} if there is no such run, or if it is not the top of its tree
 */
export async function resume(word: string, options: ResumeCommandOptions, io: RunIo): Promise<number> {
  const { environment, sources } = await openEnvironment(options, io);
  const { env, agentsDir, timeout, model, verbose = false, json = false } = options;
  const follow = { env, agentsDir, verbose, json };
  try {
    const run = await findRun(word, environment);
    assertTop(run);
    if (model !== undefined) assertModelOption(model, io, (await sources?.())?.providers);
    if (sources !== undefined && !isIn(ANSWERED, run)) {
      // The tools and names that its sub-agents see may have changed since it began.
      const found = await sources();
      const loaded = await loadAgent(run.agent, found.source).catch(() => undefined);
      if (loaded !== undefined) await tellOutside(run.agent, loaded, found, io);
    }
    const start = () => environment.resume(run, { timeout, model, add: addedBy(options), by: io.user });
    try {
      return (await followRun(run.id, start, environment, follow, io)) ?? EXIT.success;
    } catch (thrown) {
      if (!(thrown instanceof NothingLeftError)) throw thrown;
      return await printEnd(run.id, environment.records, follow, io);
    }
  } finally {
    await environment.close();
  }
}
