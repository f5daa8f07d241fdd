import { loadAgent } from '../../agent/load-agent.ts';
import { resumeRun } from '../../residents/resume.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { hasAnswer } from '../../runs/run.ts';
import { ConfigError } from '../../errors.ts';
import { findRun, runNotFound } from './find-run.ts';
import { tellOutside } from './tell-outside.ts';
import { followRun, printEnd } from './follow-run.ts';
import type { RunIo } from '../terminal/io.ts';
import { openLocalPipeline } from '../../pipeline/local-pipeline.ts';
import { localSources, type LocalSources } from '../../pipeline/local-sources.ts';
import { hasLocalStore } from '../../pipeline/local-store.ts';

export interface ResumeOptions {
  /** Seconds, in place of those that the run was opened with. */
  timeout?: number;
  /** The deployed environment that the run is in; absent for one of this folder. */
  env?: string;
  agentsDir?: string;
  verbose?: boolean;
  json?: boolean;
}

/**
 * `cadre resume`: goes on with a run after a crash, a stop or a failure, and prints what `run` would have printed. No
 * turn that was finished is paid again; a run that has its answer just prints it.
 * @param word which run: see findRun
 * @throws {ConfigError} if there is no such run, or if it is not the top of its tree
 */
export async function resume(word: string, options: ResumeOptions, io: RunIo): Promise<number> {
  const { pipeline, sources } = await openPipeline(word, options, io);
  const follow = {
    env: options.env,
    agentsDir: options.agentsDir,
    verbose: options.verbose ?? false,
    json: options.json ?? false,
  };
  try {
    const run = await findRun(word, pipeline.store);
    if (hasAnswer(run)) return await printEnd(run.id, pipeline.store, follow, io);
    if (sources !== undefined) {
      // What its sub-agents are shown may have changed since it began.
      const loaded = await loadAgent(run.agent, sources.source).catch(() => undefined);
      if (loaded !== undefined) await tellOutside(run.agent, loaded, sources, io);
    }
    const ports = { ...pipeline, now: Date.now };
    const start = async () => (await resumeRun(run, options.timeout, ports)).execution;
    return await followRun(run.id, start, pipeline, follow, io);
  } finally {
    await pipeline.close();
  }
}

/** The pipeline, and where the agents of this folder come from. */
async function openPipeline(
  word: string,
  { env, agentsDir }: ResumeOptions,
  io: RunIo,
): Promise<{ pipeline: Pipeline; sources?: LocalSources }> {
  if (env !== undefined) {
    if (agentsDir !== undefined) {
      throw new ConfigError('--agents-dir works with the agents of this folder only; omit --env');
    }
    const { openCloudPipeline } = await import('../../pipeline/cloud-pipeline.ts');
    return { pipeline: await openCloudPipeline(env) };
  }
  if (!hasLocalStore(io.cwd)) throw runNotFound(word); // opening it would make one
  const sources = await localSources(io, agentsDir);
  return { pipeline: await openLocalPipeline({ cwd: io.cwd, ...sources }), sources };
}
