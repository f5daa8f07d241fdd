import type { SpendingPage } from '../records/listed-trees.ts';
import type { RunReader } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import { costRows, type AskedCosts, type CostRow } from './cost-report.ts';
import type { ShownTreeReader } from './shown-tree.ts';

export interface CostsWanted {
  /** The first day and the last one, in UTC. */
  days: { since: string; until: string };
  /** Whether a person's runs count; absent: everything does. */
  isMeant?: (of: Pick<Run, 'issuer' | 'owner'>) => boolean;
  /** Whether all days are wanted, however many; absent: as many as one answer can take. */
  isWhole?: boolean;
}

/**
 * What runs have cost.
 * @returns `next`: the day to continue with, as the last one, if this was too much for one answer
 */
export async function readCosts(
  records: ShownTreeReader & Pick<RunReader, 'listTrees' | 'spending'>,
  asked: AskedCosts,
  { days, isMeant = () => true, isWhole = false }: CostsWanted,
): Promise<{ rows: CostRow[]; next: string | null }> {
  if ('tag' in asked) {
    const { costsByTag } = await import('./tag-costs.ts');
    return costsByTag(records, asked.tag, days, isMeant, ...(isWhole ? [Infinity] : []));
  }
  const found: SpendingPage['days'] = [];
  let next: string | undefined = days.until;
  do {
    const page: SpendingPage = await records.spending({ ...days, until: next });
    found.push(...page.days);
    next = page.next;
  } while (isWhole && next !== undefined);
  return { rows: costRows(found, asked.by, isMeant), next: next ?? null };
}
