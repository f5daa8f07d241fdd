import type { CallKey } from './call.ts';
import { isThereFor, type Mail } from './mail.ts';
import type { WaitPlan } from './plan.ts';
import { AT_WORK, DEAD, isIn } from './phase.ts';
import { nameOf, type Run } from './run.ts';

// The waits of agents for others: for their messages, or their ends. Pure, so that the waking of the agent and the
// telling of the result agree.

/** The agent of a tree that goes by a uuid, or by a name that no other has. */
export function findAgent(tree: readonly Run[], wanted: string): Run | undefined {
  const named = tree.filter((run) => nameOf(run) === wanted);
  return tree.find(({ id }) => id === wanted) ?? (named.length === 1 ? named[0] : undefined);
}

/** The state of an agent, as agents that wait for it read it until it has written. */
export function statusOf(run: Run | undefined): 'running' | 'idle' | 'dead' {
  if (run === undefined || isIn(DEAD, run)) return 'dead';
  return isIn(AT_WORK, run) ? 'running' : 'idle';
}

/** Whether a call of `wait` need not wait any longer. A person's words are not made to wait for agents. */
export function hasArrived(
  { from }: WaitPlan,
  at: Pick<CallKey, 'turn' | 'call'>,
  mails: readonly Mail[],
  tree: readonly Run[],
): boolean {
  const arrived = mails.filter((mail) => isThereFor(mail, at));
  if (arrived.some((mail) => mail.from === undefined)) return true;
  if (from === undefined) return arrived.length > 0;
  return from.every((wanted) => {
    const agent = findAgent(tree, wanted);
    return statusOf(agent) !== 'running' || arrived.some((mail) => mail.from === agent?.id);
  });
}
