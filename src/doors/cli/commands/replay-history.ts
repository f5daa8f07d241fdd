import { CONVERSATION } from '../../../core/machine/conversation.ts';
import { readHistory } from '../../../authoring/replay/execution-history.ts';
import { replayHistory } from '../../../authoring/replay/replay-history.ts';
import { changedLines } from '../terminal/difference-text.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { counted } from '../../../counted.ts';
import { readNamedFile } from './read-named-file.ts';
import type { Io } from '../terminal/io.ts';

export interface ReplayHistoryOptions {
  /** A file; absent: the machine that carries runs. */
  definition?: string;
}

/**
 * `cadre states replay`: repeats an execution of an account in the interpreter, with the results of its tasks.
 * @returns the exit code: 1 if the interpreter differs
 */
export async function replayExecution(
  file: string,
  { definition }: ReplayHistoryOptions,
  io: Pick<Io, 'cwd' | 'stdout'>,
): Promise<number> {
  const text = await readNamedFile(file, io.cwd);
  const machine =
    definition === undefined ? JSON.stringify(CONVERSATION) : await readNamedFile(definition, io.cwd);
  const history = readHistory(text, file);
  const difference = await replayHistory(history, machine);
  if (difference === undefined) {
    io.stdout(`no difference: ${counted(history.events.length, 'event')}\n`);
    return EXIT.success;
  }
  const { what, recorded, now } = difference;
  io.stdout(`${[`the first difference is ${what}`, ...changedLines(recorded, now)].join('\n')}\n`);
  return EXIT.agent;
}
