import type { CallKey } from '../core/records/call.ts';
import { CLOUD_POLL_MS, LOCAL_POLL_MS } from './follow/view.ts';
import type { Run } from '../core/records/run.ts';
import type { KeptRuns } from '../core/reports/shown-tree.ts';

/** Runs that a command looks at: those of the folder that it is called in, or of a deployed environment. */
export interface LookedAtRuns extends KeptRuns {
  /** Whether an execution runs, as far as can be told from here. */
  isRunning(executionArn: string): Promise<boolean>;
  /** Stops a run and all that is nested in it. @throws {ConfigError} if there is nothing to stop */
  stop(run: Run): Promise<void>;
  /**
   * Ends an agent and everything below it for good. What is left of its tree goes on where it is carried out.
   * @returns the runs that were ended
   * @throws {ConfigError} if it is the top of its tree, or dead already
   */
  kill(run: Run): Promise<string[]>;
  /** Wakes whoever waits for the answer to a question, which is in the store. */
  wakeAsker(question: CallKey): Promise<void>;
  /** How often it is worth looking for what is new, in milliseconds. */
  pollMs: number;
  /** Where an execution can be followed step by step; undefined where there is no such place. */
  link(executionArn: string): string | undefined;
}

/**
 * Opens the runs of an environment, or of this folder where none is named, and closes them after use.
 * @param use gets undefined where nothing was ever kept here
 */
export async function withKeptRuns(
  environment: string | undefined,
  cwd: string,
  use: (kept: LookedAtRuns | undefined) => Promise<number>,
): Promise<number> {
  if (environment !== undefined) {
    const { openCloudPipeline } = await import('./aws/cloud-pipeline.ts');
    const { store, executions, kill, wakeAsker, link, close } = await openCloudPipeline(environment);
    try {
      return await use({
        runs: store,
        // A record says whether its execution still runs: events close it, whatever ended it.
        isCarriedOut: () => Promise.resolve(true),
        pollMs: CLOUD_POLL_MS,
        isRunning: (arn) => executions.isRunning(arn),
        stop: ({ execution }) => executions.stop(execution, 'stopped by the user'),
        kill: async (run) => (await kill(run)).ended,
        wakeAsker,
        link,
      });
    } finally {
      await close();
    }
  }
  const { findLocalStore } = await import('./local/local-store.ts');
  const local = await findLocalStore(cwd);
  if (local === undefined) return use(undefined);
  try {
    return await use({
      ...local,
      pollMs: LOCAL_POLL_MS,
      isRunning: async () => false,
      stop: async (run) => (await import('./local/stop-local-run.ts')).stopLocalRun(run, local),
      kill: async (run) => (await import('./kill-in-store.ts')).killInStore(run, local.runs, Date.now),
      // The process that carries the tree looks at the store.
      wakeAsker: async () => {},
      link: () => undefined,
    });
  } finally {
    await local.close();
  }
}
