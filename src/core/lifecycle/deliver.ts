import { isUnread, type Mail } from '../records/mail.ts';
import type { Run } from '../records/run.ts';
import type { ResidentPorts } from './ports.ts';
import { putMail } from './put-mail.ts';
import { wakeAgent } from './wake-agents.ts';

/**
 * Puts a message into the mailbox of an agent, and wakes the agent if necessary.
 * @param to its record, as last read
 * @param key identifies the message for its sender, who may repeat this
 * @returns the stored message
 */
export async function deliver(
  to: Run,
  mail: Omit<Mail, 'id'>,
  key: string | undefined,
  ports: ResidentPorts,
): Promise<Mail> {
  const kept = await putMail(to, mail, key, ports.store);
  // A repetition finds it read.
  const run = isUnread(kept) ? await ports.store.run(to.id) : undefined;
  if (run !== undefined) await wakeAgent(run, mail, ports);
  return kept;
}
