import { resolve } from 'node:path';
import { agentTree } from '../agent/agent-tree.ts';
import { workdirOf } from '../agent/context.ts';
import { assertReadable } from '../agent/context-files.ts';
import { loadAgent } from '../agent/load-agent.ts';
import { wakeAsker } from '../conversation/answer-question.ts';
import { LOCAL_POLL_MS } from '../events/poll.ts';
import { parseModelName } from '../models/model-name.ts';
import { openLocalPipeline, type LocalPipeline } from '../pipeline/local-pipeline.ts';
import { localSources, type LocalSources } from '../pipeline/local-sources.ts';
import { stopLocalRun } from '../pipeline/stop-local-run.ts';
import { openFolderWorkspace } from '../workspace/folder-workspace.ts';
import type { CadreOptions } from './cadre.ts';
import type { Carried, Runs } from './runs.ts';

/** Runs in this process, kept in `.cadre/` of the project's folder. */
export async function openLocalRuns({
  folder = '.',
  agentsDir,
  lambdaEndpoint,
  onWarning = emitWarning,
}: CadreOptions): Promise<Runs> {
  const cwd = resolve(folder);
  const stderr = (text: string) => onWarning(text.replace(/^Warning: |\n$/g, ''));
  const sources = await localSources({ cwd, env: process.env, stderr }, agentsDir);
  const lambda = lambdaEndpoint !== undefined && { lambdaEndpoint };
  const pipeline = await openLocalPipeline({ cwd, ...sources, ...lambda });
  return createLocalRuns(pipeline, { cwd, onWarning, ...sources });
}

function emitWarning(message: string): void {
  process.emitWarning(message, 'CadreWarning');
}

interface Surroundings extends Pick<LocalSources, 'source' | 'findOutside'> {
  /** Absolute. */
  cwd: string;
  onWarning: (message: string) => void;
}

/** The runs of a pipeline in this process, which is closed with them. */
export function createLocalRuns(
  pipeline: LocalPipeline,
  { cwd, source, findOutside, onWarning }: Surroundings,
): Runs {
  const { store, executions, wake, locks } = pipeline;
  const carried = new Map<string, Carried>();

  return {
    store,
    executions,
    listen: (listener) => pipeline.onEvent(listener, 'deltas'),
    async check(name, given) {
      const loaded = await loadAgent(name, source);
      parseModelName(given.model ?? loaded.agent.model);
      loaded.warnings.forEach(onWarning);
      const { workdir = '' } = given;
      await assertReadable(openFolderWorkspace(workdirOf(loaded.agent, { workdir }, cwd)));
      for await (const each of agentTree(name, loaded, source)) (await findOutside(each)).forEach(onWarning);
    },
    carry: (run, begin) =>
      new Promise<Carried>((resolve, reject) => {
        const ended = pipeline.carryOut(run, async () => {
          const execution = await begin();
          const own = { execution, ended: () => ended };
          carried.set(run, own);
          resolve(own);
          await executions.wait(execution);
        });
        // Whoever waits for its end is told if that goes wrong; here, whoever starts it is told if it does not begin.
        ended.finally(() => carried.delete(run)).catch(reject);
      }),
    isCarriedOut: (root) => locks.isHeld(root),
    stop: (run) =>
      carried.has(run.root)
        ? executions.stop(run.execution, 'stopped by the user')
        : stopLocalRun(run, { runs: store, isCarriedOut: (root) => locks.isHeld(root), ...pipeline }),
    wakeAsker: (question) => wakeAsker(question, store, wake),
    pollMs: LOCAL_POLL_MS,
    async stopAll() {
      await Promise.allSettled(
        [...carried.values()].map(async ({ execution, ended }) => {
          await executions.stop(execution, 'its process let go of it');
          await ended();
        }),
      );
    },
    close: () => pipeline.close(),
  };
}
