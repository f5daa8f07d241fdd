import { onTreeClock, timeUntil, type TreeInstant } from '../records/times.ts';
import * as v from 'valibot';
import { nameInArn } from '../../arn.ts';
import { closeRun } from '../turn/close.ts';
import { DEADLINE, CLAIM, holdRun, isHeldBy } from '../turn/hold.ts';
import { pausedAt } from '../records/clock.ts';
import type { MailWait } from '../records/mail.ts';
import { reopened } from '../records/reopened.ts';
import { holderOfExecution } from '../records/run-id.ts';
import { DEAD, OPEN, UNDER_WAY, isIn } from '../records/phase.ts';
import { isFork, runsBelow, type Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import { isFull, plansOfExecution } from '../steps/history.ts';
import { isToldMore, isAnyAtWork } from './due.ts';
import { report } from './deliver.ts';
import { endAgents } from './end-agents.ts';
import type { ResidentPorts } from './ports.ts';
import { wakeDue } from './recover.ts';
import { startAgain, wakeIfOver, wakeWaiting } from './wake-agents.ts';

const RestInput = v.object({
  ...CLAIM,
  /** Of the run. */
  deadline: DEADLINE,
  /** Lets the execution go on. */
  token: v.string(),
});

/** An execution that waits for mail. */
export interface Awaiting extends MailWait {
  execution: string;
}

/**
 * Decides the fate of an agent that has answered, and that others may still want something of. A fork is idle then, and
 * the agent that forked it is told; any other agent waits for its forks, and ends when none is at work any more. Unless
 * it waits, its execution goes on at once, to find the decision in its record.
 * @returns undefined if it does not wait
 */
export async function rest(event: unknown, ports: ResidentPorts): Promise<Awaiting | undefined> {
  const { store, wake, now } = ports;
  const { token, deadline, ...claim } = v.parse(RestInput, event);
  const [run, turns] = await Promise.all([store.run(claim.run), store.turns(claim.run)]);
  if (run !== undefined && !isIn(DEAD, run) && isHeldBy(run, claim)) {
    const paused = pausedAt(await store.clock(run.root), now());
    const decided = await decide(
      run,
      turns,
      { deadline, isLate: timeUntil(deadline, onTreeClock(now(), paused)) <= 0 },
      ports,
    );
    if (decided === 'waits') {
      const wait = { run: run.id, token, deadline };
      await store.saveMailWait(wait);
      const isOver = await wakeIfOver(wait, await store.tree(run.root), ports);
      return isOver ? undefined : { ...wait, execution: claim.execution };
    }
  }
  await wake(token, {});
  return undefined;
}

/**
 * A decision that was taken already is carried out again: the process that took it may have died then.
 * @param deadline as above
 * @param isLate whether the time of the run is over: then its answer stands
 */
async function decide(
  run: Run,
  turns: readonly Turn[],
  { deadline, isLate }: { deadline: TreeInstant; isLate: boolean },
  ports: ResidentPorts,
): Promise<'waits' | 'goes on'> {
  const { store } = ports;
  const { exceeded } = run;
  if (exceeded !== undefined) {
    await end(run, turns, { status: 'budget_exceeded', exceeded }, exceeded, ports);
    return 'goes on';
  }
  if (run.status === 'running' && !isLate && (await isToldMore(run, store))) return 'goes on';
  if (isFork(run)) {
    await goIdle(run, turns, isLate, ports);
    return 'goes on';
  }
  const tree = await store.tree(run.root);
  const isWanted = isIn(OPEN, run) && !isLate && (await isAnyAtWork(run, tree, store));
  const isOut = isWanted && isFull(plansOfExecution(run, turns));
  // Its caller waits for this very execution.
  if (isOut && run.parent === undefined) {
    await goOnInNext(run, deadline, ports);
    return 'goes on';
  }
  if (isWanted && !isOut) {
    await closeRun(run, turns, { status: 'idle' }, ports);
    await wakeDue(runsBelow(run, tree), tree, ports);
    await wakeWaiting(run.root, ports);
    return 'waits';
  }
  const cause = isLate
    ? 'the time of its tree is over'
    : isOut
      ? 'the history of the execution that waits for it is full'
      : undefined;
  await end(run, turns, { status: 'succeeded' }, cause, ports);
  return 'goes on';
}

/** Has the next execution of a run wait in place of this one, whose history is full. */
async function goOnInNext(run: Run, deadline: TreeInstant, ports: ResidentPorts): Promise<void> {
  const execution = await startAgain(run, run, ports, deadline);
  if (execution === undefined) return;
  // Opening it does this too, but until then this one would come here again and again.
  const holder = holderOfExecution(nameInArn(execution));
  await holdRun(run, { ...run, holder, execution, isWoken: true }, undefined, ports);
}

/** A fork has no execution from now on, until its next message. */
async function goIdle(
  run: Run,
  turns: readonly Turn[],
  isLate: boolean,
  ports: ResidentPorts,
): Promise<void> {
  const { store } = ports;
  // With forks of its own at work it is not done: they will write to it.
  if (!(await isAnyAtWork(run, await store.tree(run.root), store)))
    await report(run, turns, { status: 'idle' }, ports);
  const idle = await closeRun(run, turns, { status: 'idle' }, ports);
  if (idle?.status !== 'idle' || !isHeldBy(idle, run)) return;
  if (!isLate && (await isToldMore(idle, store))) {
    await reopen(idle, ports);
    return;
  }
  await wakeWaiting(run.root, ports);
}

/** @param cause why agents that are at work below it have to end, if they do */
async function end(
  run: Run,
  turns: readonly Turn[],
  how: Parameters<typeof closeRun>[2],
  cause: string | undefined,
  ports: ResidentPorts,
): Promise<void> {
  const { store } = ports;
  await report(run, turns, how, ports);
  const closed = await closeRun(run, turns, how, ports);
  if (closed?.status !== how.status || !isHeldBy(closed, run)) return;
  if (how.status === 'succeeded' && cause === undefined && (await isToldMore(closed, store))) {
    await reopen(closed, ports);
    return;
  }
  if (cause !== undefined) {
    const underWay = (tree: readonly Run[]) => runsBelow(run, tree).filter((one) => isIn(UNDER_WAY, one));
    await endAgents(run.root, underWay, { error: 'Stopped', message: cause }, ports);
  }
  await wakeWaiting(run.root, ports);
}

/** A message came in the moment in which it ended, and its writer may have seen it at work. */
async function reopen(run: Run, { store, now }: ResidentPorts): Promise<void> {
  const isUnchanged = (current: Run) => current.status === run.status && isHeldBy(current, run);
  await store.updateRun(run.id, (current) => (isUnchanged(current) ? reopened(current, now()) : current));
}
