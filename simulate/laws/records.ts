import { isIn, transitionsOf, UNDER_WAY } from '../../src/core/records/phase.ts';
import type { Law } from './law.ts';

export const PHASES_BY_THE_TABLE: Law = {
  says: 'every change of phase is in the table',
  onRun(before, after) {
    const rows = transitionsOf(before, after);
    if (rows === undefined || rows.length > 0) return [];
    return [`${after.id} went from ${before?.status ?? 'nothing'} to ${after.status}, which the table lacks`];
  },
};

/** Nothing is left once everything has had its time: no work, no execution, no unread message. */
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
