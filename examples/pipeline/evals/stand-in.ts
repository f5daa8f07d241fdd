import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

// Stands in for functions/record-order: what would have been recorded is in the folder of the case.
export async function record_order(
  { number, items }: { number: string; items: unknown },
  given: { workspace: string },
) {
  await appendFile(join(given.workspace, 'orders.txt'), `${number} ${JSON.stringify(items)}\n`);
  return `recorded ${number}`;
}
