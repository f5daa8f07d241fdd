import { appendFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import { caseOf, caseText, headText } from '../../../authoring/eval/case-of-run.ts';
import { readEvaluation } from '../../../authoring/eval/read-eval.ts';
import { openEnvironment } from '../../../authoring/loading/open-environment.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { findRun } from './find-run.ts';
import { assertOverwritable, writeNewFile } from './write-new-file.ts';

/**
 * `cadre eval add`: writes a run down as a case, at the end of an evaluation or in a new one.
 * @param word which run: see findRun
 * @returns the exit code
 * @throws {ConfigError} if the run cannot be a case, or the file is of another agent
 */
export async function addCase(
  word: string,
  file: string,
  { env }: { env?: string | undefined },
  io: Io,
): Promise<number> {
  const { environment } = await openEnvironment({ env }, io, { carries: false });
  try {
    const run = await findRun(word, environment);
    const made = await caseOf(run, environment.records);
    const path = resolve(io.cwd, file);
    assertOverwritable(path, `cannot add to ${file}`);
    const shown = relative(io.cwd, path);
    if (!(await writeNewFile(path, `${headText(run.agent)}\n${caseText(made)}`, 'evaluation'))) {
      const { agent, cases } = await readEvaluation(file, io.cwd, { mayBeEmpty: true });
      if (agent !== run.agent)
        throw new ConfigError(
          `${shown} evaluates "${agent}", and this is a run of "${run.agent}": name another file`,
        );
      const isTaken = (name: string) => cases.some((each) => each.name === name);
      if (isTaken(made.name)) made.name += ` (${run.id})`;
      if (isTaken(made.name))
        throw new ConfigError(`${shown} has the case ${JSON.stringify(made.name)} already`);
      await append(path, `\n${caseText(made)}`);
    }
    io.stdout(`${shown}\n`);
    io.stderr(`added the case ${JSON.stringify(made.name)}; now write down what you expect of it\n`);
    return EXIT.success;
  } finally {
    await environment.close();
  }
}

async function append(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text);
  } catch (error) {
    throw new ConfigError(`failed to write ${path}: ${fileFault(error)}`, { cause: error });
  }
}
