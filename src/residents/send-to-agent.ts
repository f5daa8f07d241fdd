import { ConfigError } from '../errors.ts';
import { isDead } from '../runs/arrivals.ts';
import type { RunStore } from '../runs/ports.ts';
import { isKilled, isOpen, type Run } from '../runs/run.ts';
import { deliver } from './deliver.ts';
import type { ResidentPorts } from './ports.ts';

/** As long as an answer may be. */
export const MAX_MESSAGE_CHARACTERS = 100_000;

export interface PersonsMessage {
  run: string;
  text: string;
  /** Who writes it, if that is known. */
  by?: string | undefined;
}

/**
 * Hands a person's message to an agent. One that works reads it with its next turn; one that has ended goes on with it,
 * in a new execution and with time of its own.
 * @returns the ARN of the execution that was started for it; undefined where it reads the message in one that there is
 * @throws {ConfigError} if there is no such run, nothing brings it back, or the message is empty or too long
 */
export async function sendToAgent(
  { run: id, text, by }: PersonsMessage,
  ports: ResidentPorts,
): Promise<string | undefined> {
  const run = await ports.store.run(id);
  if (run === undefined) throw new ConfigError(`there is no run "${id}"`);
  await assertReachable(run, ports.store);
  const body = text.trim();
  if (body === '') throw new ConfigError('the message is empty');
  if (body.length > MAX_MESSAGE_CHARACTERS) {
    throw new ConfigError(
      `the message has ${body.length} characters; at most ${MAX_MESSAGE_CHARACTERS} are allowed`,
    );
  }
  const sentAt = new Date(ports.now()).toISOString();
  const mail = { body, sentAt, ...(by !== undefined && { by }) };
  return (await deliver(id, mail, undefined, ports)).execution;
}

/** @throws {ConfigError} if nothing brings the run back */
export async function assertReachable(run: Run, store: RunStore): Promise<void> {
  if (isKilled(run)) throw new ConfigError(`run "${run.id}" was killed; nothing reaches it any more`);
  if (run.parent === undefined || isOpen(run)) return;
  const parent = await store.run(run.parent.run);
  if (parent !== undefined && isDead(parent)) {
    throw new ConfigError(
      `run "${run.id}" ended with its caller, run "${parent.id}", which is ${parent.status}; go on with that one first`,
    );
  }
}
