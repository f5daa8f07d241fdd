import type { Phase } from '../records/phase.ts';

/**
 * The facts about a run beside its phase. Of the facts that hold and that the row of its phase has, the first in this
 * list decides.
 */
export const FACTS = [
  /** An agent above it, other than the top, has failed or was killed, and everything below ends with that. */
  'doomed',
  /** It was stopped, and is to continue: with its whole tree, or because a person waits for its answer. */
  'owed',
  /** Its execution runs, although its tree goes on in others. */
  'leftover',
  /** The agent that called it goes on, and calls it once more. */
  'called',
  /** No execution carries it. */
  'orphaned',
  /** A message that it has not read brings it back. */
  'due',
] as const;
export type Fact = (typeof FACTS)[number];

/** What recovering can do with a run. After `reopen` and `stop`, the row of its new phase is read. */
export type Deed = 'end' | 'reopen' | 'stop' | 'start' | 'wake' | 'nothing';

type Row = Readonly<Partial<Record<Fact, Deed>>>;

const UNDER_WAY: Row = { doomed: 'end', leftover: 'stop', called: 'nothing', orphaned: 'start' };

/**
 * What recovering does with each run below the top of a tree, by its phase and other facts; nothing for a case that is
 * not in the table. The top itself was asked for by a person, or interrupted: `resumeRun` starts it wherever it has no
 * answer and no execution, and has a redriven one stopped first.
 */
export const RECOVERY: Readonly<Record<Phase, Row>> = {
  // Its execution finds out that the run is doomed when it opens it.
  starting: { doomed: 'nothing', orphaned: 'start' },
  opening: UNDER_WAY,
  working: UNDER_WAY,
  waiting_person: UNDER_WAY,
  waiting_mail: UNDER_WAY,
  waiting_agents: UNDER_WAY,
  waiting_batch: UNDER_WAY,
  closing: UNDER_WAY,
  resting: UNDER_WAY,
  idle: { doomed: 'end', due: 'wake' },
  answered: { due: 'wake' },
  limited: { due: 'wake' },
  failed: { due: 'wake' },
  stopped: { doomed: 'nothing', owed: 'reopen', due: 'wake' },
  killed: {},
};

/**
 * What recovering does with a run.
 * @param isTrue says whether a fact holds for it, and is asked as little as possible
 */
export async function deedFor(phase: Phase, isTrue: (fact: Fact) => Promise<boolean>): Promise<Deed> {
  for (const fact of FACTS) {
    const deed = RECOVERY[phase][fact];
    if (deed !== undefined && (await isTrue(fact))) return deed;
  }
  return 'nothing';
}
