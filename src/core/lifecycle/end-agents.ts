import { isExpress } from '../machine/express.ts';
import { ConfigError } from '../../errors.ts';
import { closeRun } from '../turn/close.ts';
import { isHeldBy } from '../turn/hold.ts';
import { STOPPED } from '../records/closing-reason.ts';
import { DEAD, OPEN, UNDER_WAY, isIn, phaseOf } from '../records/phase.ts';
import { branchOf, isBeside, nameOf, runsBelow, type Failure, type Run } from '../records/run.ts';
import { hasBegunAgain } from './ended-caller.ts';
import { inBatches } from './in-batches.ts';
import type { EndingPorts } from './ports.ts';

/** Their records lie in one partition of the table, which takes 1,000 writes a second (DynamoDB, "Quotas"). */
const CLOSED_AT_ONCE = 20;

/**
 * StopExecution takes 250 requests at once and then 10 a second in most Regions (Step Functions, "Quotas"). With the
 * SDK's pauses before it repeats a throttled request, this few at once stay near that rate.
 */
const STOPPED_AT_ONCE = 5;

/** From this many on, stopping may take longer than a function lasts, so each one that is done is noted. */
const MANY = 100;

/**
 * Ends agents that are at work or idle. Their records are closed first, so that none begins more work, then their
 * executions are stopped. This repeats until none is left, since some may have been starting. A repeated call goes on
 * where the first one broke off: the message of the failure tells which agents that one ended, and `halted` which
 * executions are stopped.
 * @param which of the runs of the tree
 * @param stopped a run whose execution was stopped before, and with it those that it waits for; absent: none
 * @returns the runs that were ended
 */
export async function endAgents(
  root: string,
  which: (tree: readonly Run[]) => readonly Run[],
  failure: Failure,
  ports: EndingPorts,
  stopped?: Run,
): Promise<string[]> {
  const { store, now } = ports;
  const isEnded = (run: Run) => run.failure?.message === failure.message;
  let left: readonly Run[] | undefined;
  for (;;) {
    const tree = await store.tree(root);
    const found = which(tree);
    const open = found.filter((run) => isIn(OPEN, run));
    left ??= found.filter(isEnded);
    const closed = await inBatches(CLOSED_AT_ONCE, open, async (run) => {
      const end = { status: 'stopped' as const, failure };
      return (await closeRun(run, await store.turns(run.id), end, { ...ports, tree })) ?? run;
    });
    const ended = [...left, ...open];
    if (ended.length > 0) await store.closeQuestions(root, ended, now());
    const carried = closed.filter((run, index) => isEnded(run) && isUnderWay(open[index]));
    const halting = [...left, ...carried];
    await halt(
      halting.filter((run) => !endsWithCaller(run, stopped === undefined ? halting : [stopped, ...halting])),
      failure.message,
      ports,
    );
    if (open.length === 0) return found.flatMap((run) => (isEnded(run) ? [run.id] : []));
    left = [];
  }
}

function isUnderWay(run: Run | undefined): boolean {
  return run !== undefined && isIn(UNDER_WAY, run);
}

/**
 * Whether Step Functions stops the execution of a run together with its caller's, which waits for it. That holds for
 * the first execution of either: messages may have started later ones.
 */
function endsWithCaller(run: Run, stopped: readonly Run[]): boolean {
  if (isBeside(run) || run.holder !== 1 || isExpress(run.execution)) return false;
  return stopped.some(({ id, holder }) => id === run.parent?.run && holder === 1);
}

/**
 * Stops the executions below a run which do not end with its own, before their records are closed: a sweep that dies
 * behind that finds nothing of them any more. Many are stopped afterwards alone, since that is noted for each.
 */
export async function haltBelow(run: Run, tree: readonly Run[], ports: EndingPorts): Promise<void> {
  const below = runsBelow(run, tree).filter(isUnderWay);
  const own = below.filter((one) => !endsWithCaller(one, [run, ...below]));
  if (own.length < MANY) await halt(own, STOPPED, ports);
}

/** Stops the executions of runs. */
async function halt(runs: readonly Run[], cause: string, { store, executions }: EndingPorts): Promise<void> {
  const carried = runs.filter((run) => run.execution !== '' && run.halted !== run.holder);
  await inBatches(STOPPED_AT_ONCE, carried, async (run) => {
    try {
      await executions.stop(run.execution, cause);
    } catch (thrown) {
      // It has no carrier, or its carrier is another process, which sees the closed record.
      if (!(thrown instanceof ConfigError)) throw thrown;
    }
    if (carried.length < MANY) return;
    await store.updateRun(
      run.id,
      (one) => (isHeldBy(one, run) && isIn(DEAD, one) ? { ...one, halted: run.holder } : one),
      run,
    );
  });
}

/**
 * Ends everything below a dead agent. Runs that it waits for would end with its execution, but nothing else would. Once
 * another execution has taken the agent over, the runs below it are wanted again. Before that, those that the agent has
 * begun again are wanted, with all below them.
 */
export async function endBelow(run: Run, ports: EndingPorts): Promise<void> {
  const isUnchanged = (one: Run) => one.id === run.id && isIn(DEAD, one) && isHeldBy(one, run);
  const below = (tree: readonly Run[]) => {
    const wanted = tree.filter((one) => hasBegunAgain(run, one)).flatMap((one) => branchOf(one, tree));
    return tree.some(isUnchanged) ? runsBelow(run, tree).filter((one) => !wanted.includes(one)) : [];
  };
  // With an execution that is stopped, those that it waits for are stopped without a word.
  const isStopped = phaseOf(run) === 'stopped';
  const message = isStopped ? STOPPED : `agent "${nameOf(run)}", which it was started by, has ended`;
  const failure =
    phaseOf(run) === 'killed' && run.failure !== undefined ? run.failure : { error: 'Stopped', message };
  await endAgents(run.root, below, failure, ports, isStopped ? run : undefined);
}
