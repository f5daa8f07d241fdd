import { statementOf } from '../../src/core/records/ledger.ts';
import { refilled } from '../../src/core/spending/refill.ts';
import { gather } from '../../src/core/spending/shares.ts';
import type { Law } from './law.ts';

/**
 * What providers have delivered, counted independently of ledgers.
 * @param claimed what turns are to be paid for beyond that, since providers say so
 */
export function withinBudgets(
  limits: ReadonlyMap<string, number>,
  spent: (root: string) => number,
  claimed: (root: string) => number,
  rootOf: (run: string) => string | undefined,
): Law {
  return {
    says: 'no tree spends more than its budget',
    onAsked({ run }) {
      const root = rootOf(run);
      const most = root === undefined ? undefined : limits.get(root);
      if (root === undefined || most === undefined || spent(root) <= most) return [];
      return [`${root} has spent ${spent(root)} tokens of ${most}, and asks on`];
    },
    async atRest({ bare }, roots) {
      const wrong: string[] = [];
      for (const root of roots) {
        const most = limits.get(root);
        if (most === undefined) continue;
        if (spent(root) > most) wrong.push(`${root} has spent ${spent(root)} tokens of ${most}`);
        const ledger = await bare.ledger(root);
        if (ledger === undefined) continue;
        const gathered = refilled(ledger, await gather(ledger, true, bare));
        const charged = statementOf(gathered).spent.tokens;
        const used = spent(root) + claimed(root);
        if (charged < used) wrong.push(`${root} was charged ${charged} tokens, and has used ${used}`);
      }
      return wrong;
    },
  };
}
