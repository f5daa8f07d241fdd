import { ConfigError } from '../../errors.ts';
import { closeRun } from '../turn/close.ts';
import { isHeldBy } from '../turn/hold.ts';
import { STOPPED } from '../records/closing-reason.ts';
import { DEAD, OPEN, UNDER_WAY, isIn, phaseOf } from '../records/phase.ts';
import { nameOf, runsBelow, type Failure, type Run } from '../records/run.ts';
import type { EndingPorts } from './ports.ts';

/**
 * Ends agents that are at work or idle: first their records, from the top, so that none of them begins more work, then
 * their executions; and again until none is left, since some may have been starting. A repetition goes on where the
 * first attempt broke off: the message of the failure tells which agents were ended by it.
 * @param which of the runs of the tree
 * @returns the runs that were ended
 */
export async function endAgents(
  root: string,
  which: (tree: readonly Run[]) => readonly Run[],
  failure: Failure,
  ports: EndingPorts,
): Promise<string[]> {
  const { store, executions } = ports;
  const isEnded = (run: Run) => run.failure?.message === failure.message;
  let open = which(await store.tree(root)).filter((run) => isIn(OPEN, run) || isEnded(run));
  while (open.length > 0) {
    for (const run of open.filter((one) => isIn(OPEN, one))) {
      await closeRun(run, await store.turns(run.id), { status: 'stopped', failure }, ports);
    }
    const carried = open.filter((run) => run.execution !== '' && (isIn(UNDER_WAY, run) || isEnded(run)));
    await Promise.all(
      carried.map(async ({ execution }) => {
        try {
          await executions.stop(execution, failure.message);
        } catch (thrown) {
          // It has no carrier, or another process carries it, which sees the closed record.
          if (!(thrown instanceof ConfigError)) throw thrown;
        }
      }),
    );
    open = which(await store.tree(root)).filter((one) => isIn(OPEN, one));
  }
  return which(await store.tree(root)).flatMap((run) => (isEnded(run) ? [run.id] : []));
}

/**
 * Ends everything below an agent that is dead: what it has called would end with its execution, but nothing else. Once
 * another execution has taken it over, the runs below it are wanted again.
 */
export async function endBelow(run: Run, ports: EndingPorts): Promise<void> {
  const isUnchanged = (one: Run) => one.id === run.id && isIn(DEAD, one) && isHeldBy(one, run);
  const below = (tree: readonly Run[]) => (tree.some(isUnchanged) ? runsBelow(run, tree) : []);
  // With an execution that is stopped, those that it waits for are stopped without a word.
  const isStopped = phaseOf(run) === 'stopped';
  const message = isStopped ? STOPPED : `agent "${nameOf(run)}", which it was started by, has ended`;
  const failure =
    phaseOf(run) === 'killed' && run.failure !== undefined ? run.failure : { error: 'Stopped', message };
  await endAgents(run.root, below, failure, ports);
}
