import { toMessage } from '../../../places/given-input.ts';
import { readGivenTo } from '../terminal/read-given.ts';
import type { AskedLimits } from '../../../places/run-request.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { addedBy } from './added-budget.ts';
import { findRun } from './find-run.ts';
import { followRun } from './follow-run.ts';
import { openEnvironment, type WhereRunsAre } from '../../../authoring/loading/open-environment.ts';

export interface SendCommandOptions extends WhereRunsAre, AskedLimits {
  attach?: string[];
  verbose?: boolean;
  json?: boolean;
}

/**
 * `cadre send`: sends a person's message to an agent, at work or ended. An agent that has ended continues here, and its
 * answer is printed; one that another process carries is left to that process.
 * @returns the exit code
 */
export async function send(
  word: string,
  words: readonly string[],
  options: SendCommandOptions,
  io: RunIo,
): Promise<number> {
  const said = words.length > 0 ? words.join(' ') : await io.readStdin();
  const { text, given } = await readGivenTo(said, options.attach, io);
  const { environment } = await openEnvironment(options, io);
  const { env, agentsDir, verbose = false, json = false } = options;
  try {
    const { id, root } = await findRun(word, environment);
    const more = addedBy(options);
    if (more !== undefined) await environment.addBudget(root, more, io.user);
    const start = async () => {
      const sent = await environment.send({ run: id, ...toMessage(text, given), by: io.user });
      return sent.isLeftToAnother ? undefined : sent;
    };
    const code = await followRun(id, start, environment, { env, agentsDir, verbose, json }, io);
    if (code !== undefined) return code;
    io.stderr(`sent to run ${id}, which is being carried out; follow it with: cadre watch ${root}\n`);
    return EXIT.success;
  } finally {
    await environment.close();
  }
}
