import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentNotFoundError } from '../../core/agent-schema/agent-source.ts';
import { agentTree } from '../../authoring/loading/agent-tree.ts';
import { workdirOf } from '../../core/agent-schema/context.ts';
import { assertReadable } from '../../core/agent-schema/context-files.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { ConfigError } from '../../errors.ts';
import { LOCAL_POLL_MS } from '../../places/follow/view.ts';
import { parseModelName } from '../../core/model/model-name.ts';
import { openLocalPipeline, type LocalPipeline } from '../../places/local/local-pipeline.ts';
import { createLocalSteering } from '../../places/local/local-steering.ts';
import { localSources, type LocalSources } from '../../authoring/loading/local-sources.ts';
import { createLockedExecutions } from '../../places/local/locked-executions.ts';
import { assertStoppable } from '../../places/assert-stoppable.ts';
import { stopByRecords } from '../../places/local/stop-by-records.ts';
import { openFolderWorkspace } from '../../places/local/workspace/folder-workspace.ts';
import type { CadreOptions } from './cadre.ts';
import type { Runs } from './runs.ts';

/** Runs in this process, kept in `.cadre/` of the project's folder. */
export async function openLocalRuns({
  folder = '.',
  agentsDir,
  lambdaEndpoint,
  onWarning = emitWarning,
}: CadreOptions): Promise<Runs> {
  const cwd = resolve(folder);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`no such folder: ${cwd}`);
  const stderr = (text: string) => onWarning(text.replace(/^Warning: |\n$/g, ''));
  const sources = await localSources({ cwd, env: process.env, stderr }, agentsDir);
  const lambda = lambdaEndpoint !== undefined && { lambdaEndpoint };
  const pipeline = await openLocalPipeline({ cwd, ...sources, ...lambda });
  return createLocalRuns(pipeline, { cwd, onWarning, ...sources });
}

function emitWarning(message: string): void {
  process.emitWarning(message, 'CadreWarning');
}

/** A program's author is told what a person is told. */
async function addHint(thrown: unknown): Promise<never> {
  if (!(thrown instanceof AgentNotFoundError)) throw thrown;
  throw new ConfigError(thrown.message + (await thrown.hint()), { cause: thrown });
}

interface Surroundings extends Pick<LocalSources, 'source' | 'findOutside'> {
  /** Absolute. */
  cwd: string;
  onWarning: (message: string) => void;
  /** Absent: the system's time. */
  now?: () => number;
}

/** The runs of a pipeline in this process, which is closed with them. */
export function createLocalRuns(
  pipeline: LocalPipeline,
  { cwd, source, findOutside, onWarning, now = Date.now }: Surroundings,
): Runs {
  const { store, locks } = pipeline;
  const faults: unknown[] = [];
  const executions = createLockedExecutions(pipeline, (thrown) => void faults.push(thrown));

  /** Waits for the tree here and, where a message was left to the process that carries it out, for that process. */
  async function ended(run: string): Promise<void> {
    await executions.quiet(run);
    if (faults.length > 0) throw faults[0];
    const root = (await store.run(run))?.root ?? run;
    while (await locks.isHeld(root)) await delay(LOCAL_POLL_MS);
  }

  return {
    store,
    executions,
    follow: pipeline.follow,
    look: pipeline.look,
    told: pipeline.told,
    async check(name, given) {
      const loaded = await loadAgent(name, source).catch(addHint);
      parseModelName(given.model ?? loaded.agent.model);
      loaded.warnings.forEach(onWarning);
      const { workdir = '' } = given;
      await assertReadable(openFolderWorkspace(workdirOf(loaded.agent, { workdir }, cwd)));
      for await (const each of agentTree(name, loaded, source)) (await findOutside(each)).forEach(onWarning);
    },
    async carry(run, begin) {
      return { execution: await begin(), ended: () => ended(run) };
    },
    isCarriedOut: (root) => locks.isHeld(root),
    async stop(run) {
      if (executions.carries(run.root)) return executions.stop(run.execution, 'stopped by the user');
      await assertStoppable(run, executions);
      await stopByRecords(run, 'stopped by the user', { runs: store, locks }, now);
    },
    ...createLocalSteering(pipeline, executions, now),
    wakeAsker: pipeline.wakeAsker,
    now,
    pollMs: LOCAL_POLL_MS,
    stopAll: () => executions.stopAll('its process let go of it'),
    close: () => pipeline.close(),
  };
}
