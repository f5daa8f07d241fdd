import { deliver } from './deliver.ts';
import { assertSendable, type PersonsMessage } from './persons-message.ts';
import type { ResidentPorts } from './ports.ts';

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
  const run = await assertSendable(message, ports.store);
  const { text, by } = message;
  const sentAt = new Date(ports.now()).toISOString();
  const mail = { body: text.trim(), sentAt, ...(by !== undefined && { by }) };
  return (await deliver(run, mail, undefined, ports)).execution;
}
