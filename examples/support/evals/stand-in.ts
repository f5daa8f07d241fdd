import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

// Stands in for tools/: an evaluation writes to nobody. What would have been done is in the folder of the case.

export { handler as find_customer } from '../tools/find-customer.ts';

export async function send_reply({ to, text }: { to: string; text: string }, given: { workspace: string }) {
  await appendFile(join(given.workspace, 'sent.txt'), `${to}: ${text}\n`);
  return `sent to ${to}`;
}

export async function escalate({ ticket }: { ticket: number }, given: { workspace: string }) {
  await appendFile(join(given.workspace, 'escalated.txt'), `${ticket}\n`);
  return `a colleague has ticket ${ticket} now`;
}
