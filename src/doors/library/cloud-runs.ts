import { assertName } from '../../core/agent-schema/agent-name.ts';
import { ConfigError } from '../../errors.ts';
import { CLOUD_POLL_MS } from '../../places/follow/view.ts';
import { parseModelName } from '../../core/model/model-name.ts';
import { openCloudPipeline } from '../../places/aws/cloud-pipeline.ts';
import { resumeRun } from '../../core/lifecycle/resume.ts';
import type { CadreOptions } from './cadre.ts';
import type { Runs } from './runs.ts';

/** Runs of a deployed environment, whose agents and files are the ones that were deployed. */
export async function openCloudRuns(environment: string, options: CadreOptions): Promise<Runs> {
  for (const key of ['folder', 'agentsDir', 'lambdaEndpoint'] as const) {
    if (options[key] !== undefined) {
      throw new ConfigError(`${key} is for runs in this process; leave it out, or leave environment out`);
    }
  }
  const pipeline = await openCloudPipeline(environment);
  const { store, executions } = pipeline;
  return {
    store,
    executions,
    follow: pipeline.follow,
    look: pipeline.look,
    told: pipeline.told,
    async check(agent, { model }) {
      assertName('agent', agent);
      if (model !== undefined) parseModelName(model);
    },
    async carry(run, begin) {
      const execution = await begin();
      // A program that only starts a run can leave.
      return {
        execution,
        ended: () => pipeline.carryOut(run, async () => void (await executions.wait(execution))),
      };
    },
    // A record says whether its execution still runs: events close it after any end.
    isCarriedOut: () => Promise.resolve(true),
    stop: ({ execution }) => executions.stop(execution, 'stopped by the user'),
    send: pipeline.send,
    kill: async (run) => void (await pipeline.kill(run)),
    resume: (run, timeout) => resumeRun(run, timeout, { store, executions, now: Date.now }),
    wakeAsker: pipeline.wakeAsker,
    now: Date.now,
    pollMs: CLOUD_POLL_MS,
    stopAll: async () => {},
    close: () => pipeline.close(),
  };
}
