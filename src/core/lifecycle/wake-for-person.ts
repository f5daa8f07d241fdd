import type { ResidentPorts } from './ports.ts';
import { wakeAgent } from './wake-agents.ts';

/**
 * Has an agent go on for which a person has left a message. One that works reads it with its next turn; one that has
 * ended goes on with it, in a new execution and with time of its own.
 * @returns the ARN of the execution that was started for it; undefined where it reads the message in one that there is
 */
export async function wakeForPerson(id: string, ports: ResidentPorts): Promise<string | undefined> {
  const run = await ports.store.run(id);
  return run && wakeAgent(run, {}, ports);
}
