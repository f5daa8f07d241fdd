import { endedCaller } from './ended-caller.ts';
import { ConfigError } from '../../errors.ts';
import { noReaderOf } from './no-reader.ts';
import type { NewAttachment } from '../records/attachment.ts';
import type { RunStore } from '../records/ports.ts';
import { OPEN, isIn, phaseOf } from '../records/phase.ts';
import type { Run } from '../records/run.ts';

/** As long as an answer may be. */
export const MAX_MESSAGE_CHARACTERS = 100_000;

export interface PersonsMessage {
  run: string;
  text: string;
  /** Images and documents that go with it; absent: none. The text may be blank then. */
  files?: readonly NewAttachment[] | undefined;
  /** The writer, if known. */
  by?: string | undefined;
  /** The writer's key: only the first message with it is written. */
  once?: string | undefined;
}

/**
 * @returns the record of the run
 * @throws {ConfigError} if there is no such run, nothing brings it back, no model would read the message, or it is empty or too long
 */
export async function assertSendable(
  { run: id, text, files = [] }: PersonsMessage,
  store: RunStore,
): Promise<Run> {
  const run = await store.run(id);
  if (run === undefined) throw noRun(id);
  if (phaseOf(run) === 'killed') throw new ConfigError(`run "${id}" was killed; nothing reaches it any more`);
  const caller = isIn(OPEN, run) ? undefined : await endedCaller(run, store);
  if (caller !== undefined) {
    throw new ConfigError(
      `run "${id}" ended with its caller, run "${caller.id}", which is ${caller.status}; go on with that one first`,
    );
  }
  const noReader = await noReaderOf(run, store);
  if (noReader !== undefined) throw new ConfigError(`run "${id}" ${noReader}`);
  const { length } = text.trim();
  if (length === 0 && files.length === 0) throw new ConfigError('the message is empty');
  if (length > MAX_MESSAGE_CHARACTERS) {
    throw new ConfigError(
      `the message has ${length} characters; at most ${MAX_MESSAGE_CHARACTERS} are allowed`,
    );
  }
  return run;
}

export function noRun(id: string): ConfigError {
  return new ConfigError(`there is no run "${id}"`);
}
