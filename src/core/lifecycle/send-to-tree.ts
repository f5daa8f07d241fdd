import { leaveMessage } from './leave-message.ts';
import type { PersonsMessage } from './persons-message.ts';
import type { ResidentPorts } from './ports.ts';
import { goOn } from './resume.ts';
import { wakeForPerson } from './send-to-agent.ts';

/**
 * Hands a person's message to an agent where processes carry trees, and may have died: the rest of its tree is carried
 * on with it.
 * @returns as `sendToAgent` does
 * @throws {ConfigError} as `sendToAgent` does
 */
export async function sendToTree(message: PersonsMessage, ports: ResidentPorts): Promise<string | undefined> {
  await leaveMessage(message, ports);
  const run = await ports.store.run(message.run);
  const resumed = await goOn(run?.root ?? message.run, ports);
  return (await wakeForPerson(message.run, ports)) ?? resumed;
}
