import { compareServices, type ComparedServices } from '../../core/reports/compared-services.ts';
import type { Prices } from '../../core/spending/prices.ts';
import { hasLocalStore, shareLocalStore } from '../../places/local/local-store.ts';

/**
 * What the runs of agents in a folder come to, asked at once and in batches; none of agents without such runs.
 * @throws {StoreError} if the records of the folder cannot be read
 */
export async function compareHere(
  agents: readonly string[],
  prices: Prices,
  cwd: string,
): Promise<Map<string, ComparedServices>> {
  const found = new Map<string, ComparedServices>();
  if (agents.length === 0 || !hasLocalStore(cwd)) return found;
  const { runs, close } = await shareLocalStore(cwd);
  try {
    for (const agent of agents) {
      const compared = await compareServices(runs, { agent }, prices);
      if (compared.agents.length > 0) found.set(agent, compared);
    }
  } finally {
    await close();
  }
  return found;
}
