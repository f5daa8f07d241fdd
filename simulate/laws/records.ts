import { DEAD, isIn, transitionsOf, UNDER_WAY } from '../../src/core/records/phase.ts';
import { usageOf } from '../../src/core/records/turn.ts';
import type { Invocation } from '../world/invocations.ts';
import type { Law, Written } from './law.ts';

export const PHASES_BY_THE_TABLE: Law = {
  says: 'every change of phase is in the table',
  onRun(before, after) {
    const rows = transitionsOf(before, after);
    if (rows === undefined || rows.length > 0) return [];
    return [`${after.id} went from ${before?.status ?? 'nothing'} to ${after.status}, which the table lacks`];
  },
};

/** Nothing is left in the end: no work, no execution, no unread message. */
export const EVERYTHING_ENDS: Law = {
  says: 'what ended is closed, what waits is wakeable, a stopped tree converges',
  async atRest(account, roots) {
    const wrong: string[] = account
      .live()
      .map(({ run, state }) => `an execution of ${run} is left in ${state}`);
    const store = account.bare;
    for (const root of roots) {
      for (const run of await store.tree(root)) {
        if (isIn(UNDER_WAY, run)) wrong.push(`${run.id} is left ${run.status}`);
      }
    }
    return wrong;
  },
};

/** A record counts all turns of its run, and those that came after its end. */
export function allIsCounted({ hasFailed, turns: stored }: Written): Law {
  const makers = new Map<string, Invocation>();
  const before = new Map<string, number>();
  return {
    says: 'the record of a run counts all of its turns',
    onTurn(run, { number }, by) {
      makers.set(`${run} ${number}`, by);
      return [];
    },
    onRun(earlier, after) {
      const wasDead = earlier !== undefined && isIn(DEAD, earlier);
      if (isIn(DEAD, after) && !wasDead) before.set(after.id, stored(after.id).length);
      return [];
    },
    async atRest({ bare }, roots) {
      const wrong: string[] = [];
      for (const root of roots) {
        for (const { id, status, usage, unused } of await bare.tree(root)) {
          const turns = await bare.turns(id);
          const made = turns.filter(({ number }) => {
            const by = makers.get(`${id} ${number}`);
            // Nobody waits for a function whose run has ended: if it fails then, it is not called again. And what is
            // stored at the very moment at which many runs are ended is not looked for.
            const isLost = (by !== undefined && hasFailed(by)) || number <= (before.get(id) ?? 0);
            return number <= usage.turns || !isLost;
          });
          if (JSON.stringify(usageOf(made, unused)) !== JSON.stringify(usage))
            wrong.push(
              `${id} ${status} counts ${JSON.stringify(usage)} of ${JSON.stringify(usageOf(turns))}`,
            );
        }
      }
      return wrong;
    },
  };
}
