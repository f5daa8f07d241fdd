import { loadAgent } from '../agent/load-agent.ts';
import { newRunId } from '../conversation/run-id.ts';
import type { RunRequest } from '../conversation/run.ts';
import { parseModelName } from '../models/registry.ts';
import { followRun } from './follow-run.ts';
import type { RunIo } from './io.ts';
import { openLocalPipeline } from './local-pipeline.ts';
import { startRun } from './pipeline.ts';
import { localSources } from './local-sources.ts';

export interface RunOptions {
  prompt?: string;
  skill?: string;
  workdir?: string;
  model?: string;
  /** Seconds. */
  timeout?: number;
  agentsDir?: string;
  dryRun?: boolean;
  verbose?: boolean;
  json?: boolean;
}

/** `cadre run`: starts a run and follows it to its end. @returns the exit code */
export async function runAgent(name: string, options: RunOptions, io: RunIo): Promise<number> {
  const { source, models } = await localSources(io, options.agentsDir);
  const { agent, warnings } = await loadAgent(name, source);
  for (const warning of warnings) io.stderr(`Warning: ${warning}\n`);
  parseModelName(options.model ?? agent.model);
  const { prompt, model, skill, workdir, timeout } = options;
  const request: RunRequest = {
    agent: name,
    ...(prompt !== undefined && { prompt }),
    context: await io.readStdin(),
    overrides: {
      ...(model !== undefined && { model }),
      ...(skill !== undefined && { skill }),
      ...(workdir !== undefined && { workdir }),
      ...(timeout !== undefined && { timeout }),
    },
  };
  const id = newRunId(name, Date.now());
  const pipeline = await openLocalPipeline({ cwd: io.cwd, source, models });
  try {
    const follow = { verbose: options.verbose ?? false, json: options.json ?? false };
    return await followRun(id, () => startRun(id, request, pipeline), pipeline, follow, io);
  } finally {
    await pipeline.close();
  }
}
