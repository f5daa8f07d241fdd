import { newRunId } from '../../../core/records/run-id.ts';
import type { Seconds } from '../../../core/records/times.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { findRun } from './find-run.ts';
import { followRun } from './follow-run.ts';
import { assertModelOption } from './model-option.ts';
import { openEnvironment, type WhereRunsAre } from '../../../authoring/loading/open-environment.ts';

export interface ForkCommandOptions extends WhereRunsAre {
  /** From 1. */
  turn?: number;
  /** `provider/model-name`. */
  model?: string;
  timeout?: Seconds;
  verbose?: boolean;
  json?: boolean;
}

/**
 * `cadre fork`: continues from a turn of a run in a new tree, and prints what `run` would have printed. The original
 * run does not change.
 * @param word which run: see findRun
 * @param words in place of those that the turn was made for; none: the same words
 * @returns the exit code
 * @throws {ConfigError} if there is no such run, or no such turn of it
 */
export async function fork(
  word: string,
  words: readonly string[],
  options: ForkCommandOptions,
  io: RunIo,
): Promise<number> {
  const { environment, sources } = await openEnvironment(options, io);
  const { env, agentsDir, turn, model, timeout, verbose = false, json = false } = options;
  try {
    const run = await findRun(word, environment);
    if (model !== undefined) assertModelOption(model, io, (await sources?.())?.providers);
    const id = newRunId(run.agent, Date.now());
    const text = words.length > 0 ? words.join(' ') : undefined;
    const start = () => environment.fork(run, { id, turn, text, model, timeout });
    const code = await followRun(id, start, environment, { env, agentsDir, verbose, json }, io);
    return code ?? EXIT.success;
  } finally {
    await environment.close();
  }
}
