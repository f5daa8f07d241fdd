import type { AskedLimits } from '../../pipeline/run-request.ts';
import { NOTHING_RUNS } from '../../residents/ports.ts';
import { sendToAgent } from '../../residents/send-to-agent.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { addBudget } from './added-budget.ts';
import { findRun, runNotFound } from './find-run.ts';
import { followRun } from './follow-run.ts';
import { openPipelineOf, type WhereRunsAre } from './open-pipeline.ts';

export interface SendOptions extends WhereRunsAre, AskedLimits {
  verbose?: boolean;
  json?: boolean;
}

/**
 * `cadre send`: a person's message to an agent, whether it works or has ended. One that has ended goes on with it here,
 * and its answer is printed; one that another process carries out is left to that process.
 * @returns the exit code
 */
export async function send(
  word: string,
  words: readonly string[],
  options: SendOptions,
  io: RunIo,
): Promise<number> {
  const text = words.length > 0 ? words.join(' ') : await io.readStdin();
  const { pipeline, isCarriedOut } = await openPipelineOf(options, io, runNotFound(word));
  const { env, agentsDir, verbose = false, json = false } = options;
  try {
    const run = await findRun(word, pipeline.store);
    await addBudget(run.root, options, io.user, pipeline);
    const message = { run: run.id, text, ...(io.user !== undefined && { by: io.user }) };
    if (await isCarriedOut(run.root)) {
      const ports = { ...NOTHING_RUNS, store: pipeline.store, emit: () => {}, now: Date.now };
      await sendToAgent(message, ports);
      io.stderr(
        `sent to run ${run.id}, which is being carried out; follow it with: cadre watch ${run.root}\n`,
      );
      return EXIT.success;
    }
    const start = async () => (await pipeline.send(message)) ?? run.execution;
    return await followRun(run.id, start, pipeline, { env, agentsDir, verbose, json }, io);
  } finally {
    await pipeline.close();
  }
}
