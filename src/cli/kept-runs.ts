import type { KeptRuns } from '../reports/shown-tree.ts';
import type { Io } from './io.ts';

/** Runs that a command looks at: those of the folder that it is called in, or of a deployed environment. */
export interface LookedAtRuns extends KeptRuns {
  /** The process on this machine that carries a run out, if there is one. */
  holder(root: string): Promise<number | undefined>;
  /** Where a process of this machine serves the HTTP API, if it does. */
  api(pid: number): Promise<string | undefined>;
  /** Stops an execution and all that is nested in it; absent where only the process that carries it out can. */
  stop?(executionArn: string, cause: string): Promise<void>;
  /** Where an execution can be followed step by step; undefined where there is no such place. */
  link(executionArn: string): string | undefined;
}

/**
 * Opens the runs of an environment, or of this folder where none is named, and closes them after use.
 * @param use gets undefined where nothing was ever kept here
 */
export async function withKeptRuns(
  environment: string | undefined,
  { cwd }: Io,
  use: (kept: LookedAtRuns | undefined) => Promise<number>,
): Promise<number> {
  if (environment !== undefined) {
    const { openCloudPipeline } = await import('./cloud-pipeline.ts');
    const { store, executions, link, close } = await openCloudPipeline(environment);
    try {
      return await use({
        runs: store,
        // Whether an execution still runs is told by its record: events close it, whatever ended it.
        isCarriedOut: () => Promise.resolve(true),
        holder: () => Promise.resolve(undefined),
        api: () => Promise.resolve(undefined),
        stop: (executionArn, cause) => executions.stop(executionArn, cause),
        link,
      });
    } finally {
      await close();
    }
  }
  const { findLocalStore } = await import('./local-store.ts');
  const local = await findLocalStore(cwd);
  if (local === undefined) return use(undefined);
  try {
    return await use({
      ...local,
      holder: (root) => local.locks.holder(root),
      api: (pid) => local.serving.url(pid),
      link: () => undefined,
    });
  } finally {
    await local.close();
  }
}
