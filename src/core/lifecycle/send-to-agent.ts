import { leaveMessage } from './leave-message.ts';
import type { PersonsMessage } from './persons-message.ts';
import type { ResidentPorts } from './ports.ts';
import { wakeAgent } from './wake-agents.ts';

/**
 * Hands a person's message to an agent. One that works reads it with its next turn; one that has ended goes on with it,
 * in a new execution and with time of its own.
 * @returns the ARN of the execution that was started for it; undefined where it reads the message in one that there is
 * @throws {ConfigError} if there is no such run, nothing brings it back, or the message is empty or too long
 */
export async function sendToAgent(
  message: PersonsMessage,
  ports: ResidentPorts,
): Promise<string | undefined> {
  await leaveMessage(message, ports);
  return wakeForPerson(message.run, ports);
}

/** Has an agent go on to which a person has written. @returns as above */
export async function wakeForPerson(id: string, ports: ResidentPorts): Promise<string | undefined> {
  const run = await ports.store.run(id);
  return run && wakeAgent(run, {}, ports);
}
