import type { AskedLimits } from '../../../places/run-request.ts';
import { writeToAgent } from '../../../places/write-to-agent.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { addBudget } from './added-budget.ts';
import { findRun, runNotFound } from './find-run.ts';
import { followRun } from './follow-run.ts';
import { openPipelineOf, type WhereRunsAre } from './open-pipeline.ts';
import { defined } from '../../../defined.ts';

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
  const { pipeline } = await openPipelineOf(options, io, runNotFound(word));
  const { env, agentsDir, verbose = false, json = false } = options;
  const follow = { env, agentsDir, verbose, json };
  try {
    const { id, root } = await findRun(word, pipeline.store);
    await addBudget(root, options, io.user, pipeline);
    const message = { run: id, text, ...defined({ by: io.user }) };
    const code = await writeToAgent(message, pipeline, (start) => followRun(id, start, pipeline, follow, io));
    if (code !== undefined) return code;
    io.stderr(`sent to run ${id}, which is being carried out; follow it with: cadre watch ${root}\n`);
    return EXIT.success;
  } finally {
    await pipeline.close();
  }
}
