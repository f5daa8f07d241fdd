import { ConfigError } from '../errors.ts';
import { isDead } from '../runs/arrivals.ts';
import type { RunStore } from '../runs/ports.ts';
import { isKilled, isOpen } from '../runs/run.ts';

/** As long as an answer may be. */
export const MAX_MESSAGE_CHARACTERS = 100_000;

export interface PersonsMessage {
  run: string;
  text: string;
  /** Who writes it, if that is known. */
  by?: string | undefined;
}

/** @throws {ConfigError} if there is no such run, nothing brings it back, or the message is empty or too long */
export async function assertSendable({ run: id, text }: PersonsMessage, store: RunStore): Promise<void> {
  const run = await store.run(id);
  if (run === undefined) throw new ConfigError(`there is no run "${id}"`);
  if (isKilled(run)) throw new ConfigError(`run "${id}" was killed; nothing reaches it any more`);
  const parent = run.parent === undefined || isOpen(run) ? undefined : await store.run(run.parent.run);
  if (parent !== undefined && isDead(parent)) {
    throw new ConfigError(
      `run "${id}" ended with its caller, run "${parent.id}", which is ${parent.status}; go on with that one first`,
    );
  }
  const { length } = text.trim();
  if (length === 0) throw new ConfigError('the message is empty');
  if (length > MAX_MESSAGE_CHARACTERS) {
    throw new ConfigError(
      `the message has ${length} characters; at most ${MAX_MESSAGE_CHARACTERS} are allowed`,
    );
  }
}
