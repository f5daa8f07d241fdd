import type { Questions } from './ports.ts';
import type { Answer } from './question.ts';
import type { Run } from './run.ts';
import { defined } from '../../defined.ts';

// Approvals of every call of a tool, for the rest of a run.

/**
 * Approves a call at once if every call of its tool is approved.
 * @returns the stored answer of this call; undefined if a person has to be asked
 */
export async function standingAnswer(
  { run, turn, call }: { run: Pick<Run, 'id' | 'root'>; turn: number; call: number },
  tool: string,
  store: Questions,
  now: number,
): Promise<Answer | undefined> {
  const standing = await store.standingApproval(run.id, tool);
  if (standing === undefined) return undefined;
  const { by } = standing;
  const answer: Answer = {
    text: 'always',
    decision: 'always',
    ...defined({ by }),
    at: new Date(now).toISOString(),
  };
  return store.saveAnswer({ run: run.id, turn, call, root: run.root }, answer);
}

/** Lets an answer hold for later calls of the tool, if it says so. */
export async function keepStanding(
  run: Run['id'],
  tool: string,
  { decision, by, at }: Answer,
  store: Questions,
): Promise<void> {
  if (decision === 'always') {
    await store.saveStandingApproval(run, tool, { at, ...defined({ by }) });
  }
}
