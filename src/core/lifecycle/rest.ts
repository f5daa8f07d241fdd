import { onTreeClock, timeUntil, type TreeInstant } from '../records/times.ts';
import * as v from 'valibot';
import { nameInArn } from '../../arn.ts';
import { closeRun, type RunEnd } from '../turn/close.ts';
import { DEADLINE, CLAIM, holdRun, isHeldBy } from '../turn/hold.ts';
import { pausedAt } from '../records/clock.ts';
import type { MailWait } from '../records/mail.ts';
import type { RunStore } from '../records/ports.ts';
import { reopened } from '../records/reopened.ts';
import { holderOfExecution } from '../records/run-id.ts';
import { DEAD, OPEN, UNDER_WAY, isIn } from '../records/phase.ts';
import { isBeside, runsBelow, type Run } from '../records/run.ts';
import { hasAnswer, type Turn } from '../records/turn.ts';
import { isFull, plansOfExecution } from '../steps/history.ts';
import { hasNews, isAnyAtWork } from './due.ts';
import { holdEndBack } from './held-ends.ts';
import { report } from './report.ts';
import { endAgents } from './end-agents.ts';
import type { ResidentPorts } from './ports.ts';
import { isRunning, wakeDue } from './recover.ts';
import { startAgain } from './start-again.ts';
import { wakeIfOver, wakeWaiting } from './wake-agents.ts';

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
 * Decides what becomes of an agent that has answered and that others may still need. A fork becomes idle, and the agent
 * that forked it is told. Any other agent waits for its forks, and ends when none is at work any more. Unless it waits,
 * its execution continues at once, and finds the decision in its record.
 * @returns undefined if it does not wait
 */
export async function rest(event: unknown, ports: ResidentPorts): Promise<Awaiting | undefined> {
  const { store, wake, now } = ports;
  const { token, deadline, ...claim } = v.parse(RestInput, event);
  const [run, turns] = await Promise.all([store.run(claim.run), store.turns(claim.run)]);
  if (run !== undefined && !isIn(DEAD, run) && isHeldBy(run, claim)) {
    const paused = pausedAt(await store.clock(run.root), now());
    const isLate = timeUntil(deadline, onTreeClock(now(), paused)) <= 0;
    if ((await decide({ run, turns, deadline, isLate }, ports)) === 'wait') {
      const wait = { run: run.id, token, deadline };
      await store.saveMailWait(wait);
      const isOver = await wakeIfOver(wait, await store.tree(run.root), ports);
      return isOver ? undefined : { ...wait, execution: claim.execution };
    }
  }
  await wake(token, {});
  return undefined;
}

/** An agent that has answered. */
interface Answered {
  run: Run;
  turns: readonly Turn[];
  /** When its time is over: then its answer stands. */
  deadline: TreeInstant;
  isLate: boolean;
}

type Fate =
  /** Its messages are answered, in a turn. */
  | { is: 'turn' }
  /** It has no execution from now on. */
  | { is: 'idle' }
  | { is: 'wait'; tree: readonly Run[] }
  /** Its next execution waits. */
  | { is: 'hand over' }
  /** The cause ends agents that are at work below it; absent: none is. */
  | { is: 'end'; cause?: string };

/** The first line that applies decides. */
async function fateOf({ run, turns, isLate }: Answered, store: RunStore): Promise<Fate> {
  if (run.exceeded !== undefined) return { is: 'end', cause: run.exceeded };
  // It has gone on since: this is a late repetition.
  if (!hasAnswer(run, turns)) return { is: 'turn' };
  if (run.status === 'running' && !isLate && (await hasNews(run, store))) return { is: 'turn' };
  if (isBeside(run)) return { is: 'idle' };
  if (isLate) return { is: 'end', cause: 'the time of its tree is over' };
  const tree = await store.tree(run.root);
  if (!isIn(OPEN, run) || !(await isAnyAtWork(run, tree, store))) return { is: 'end' };
  if (!isFull(plansOfExecution(run, turns))) return { is: 'wait', tree };
  // The caller of any other agent waits for this very execution.
  if (run.parent === undefined) return { is: 'hand over' };
  return { is: 'end', cause: 'the history of the execution that waits for it is full' };
}

/** A decision that was already taken is carried out again: the process that took it may have died. */
async function decide(answered: Answered, ports: ResidentPorts): Promise<Fate['is']> {
  const { run, turns, deadline } = answered;
  const fate = await fateOf(answered, ports.store);
  if (fate.is === 'end') await end(answered, fate.cause, ports);
  else if (fate.is === 'idle') await goIdle(answered, ports);
  else if (fate.is === 'hand over') await goOnInNext(run, deadline, ports);
  else if (fate.is === 'wait') {
    await closeRun(run, turns, { status: 'idle' }, ports);
    await wakeDue(runsBelow(run, fate.tree), fate.tree, ports);
    await wakeWaiting(run.root, ports);
  }
  return fate.is;
}

/** Makes the next execution of a run wait instead of this one, whose history is full. */
async function goOnInNext(run: Run, deadline: TreeInstant, ports: ResidentPorts): Promise<void> {
  const execution = await startAgain(run, run, ports, deadline);
  if (execution === undefined) return;
  // Opening it does this too, but until then this one would come here again and again.
  const holder = holderOfExecution(nameInArn(execution));
  await holdRun(run, { ...run, holder, execution, isWoken: true, changes: { deadline } }, undefined, ports);
}

/** A fork has no execution from now on, until its next message. */
async function goIdle({ run, turns, deadline, isLate }: Answered, ports: ResidentPorts): Promise<void> {
  const { store } = ports;
  // With others at work below it, it is not done: they may write to it.
  if (await isAnyAtWork(run, await store.tree(run.root), store)) await holdEndBack(run, turns, store);
  else await report(run, turns, { status: 'idle' }, ports);
  const idle = await closeRun(run, turns, { status: 'idle' }, ports);
  if (idle?.status !== 'idle' || !isHeldBy(idle, run)) return;
  if (!isLate && (await isToGoOn(idle, turns, ports))) return reopen(idle, deadline, ports);
  await wakeWaiting(run.root, ports);
}

async function end(
  { run, turns, deadline }: Answered,
  cause: string | undefined,
  ports: ResidentPorts,
): Promise<void> {
  const { exceeded } = run;
  const how: RunEnd =
    exceeded === undefined ? { status: 'succeeded' } : { status: 'budget_exceeded', exceeded };
  await report(run, turns, how, ports);
  const closed = await closeRun(run, turns, how, ports);
  if (closed?.status !== how.status || !isHeldBy(closed, run)) return;
  if (cause === undefined && (await isToGoOn(closed, turns, ports))) return reopen(closed, deadline, ports);
  if (cause !== undefined) {
    // With those that a function has ended which died before it stopped their executions.
    const isToEnd = (one: Run) => isIn(UNDER_WAY, one) || one.failure?.message === cause;
    const below = (tree: readonly Run[]) => runsBelow(run, tree).filter(isToEnd);
    await endAgents(run.root, below, { error: 'Stopped', message: cause }, ports);
  }
  await wakeWaiting(run.root, ports);
}

/**
 * Whether something came at the moment at which an agent came to rest: a message, or a turn of a slow function after
 * another function had tried it in vain. A slow function may come so late that the execution has ended since.
 * @param turns those that it rested after
 */
async function isToGoOn(rested: Run, turns: readonly Turn[], ports: ResidentPorts): Promise<boolean> {
  const isWanted = rested.usage.turns > turns.length || (await hasNews(rested, ports.store));
  return isWanted && isRunning(rested, ports.executions);
}

/** Something came at the moment at which it ended: the writer of a message may have seen it at work. */
async function reopen(run: Run, deadline: TreeInstant, { store, now }: ResidentPorts): Promise<void> {
  const isUnchanged = (current: Run) => current.status === run.status && isHeldBy(current, run);
  await store.updateRun(run.id, (current) =>
    isUnchanged(current) ? { ...reopened(current, now()), deadline } : current,
  );
}
