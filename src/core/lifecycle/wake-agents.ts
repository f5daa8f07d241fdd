import { later, latest, onTreeClock, toMillis, type Seconds, type TreeInstant } from '../records/times.ts';
import { usualTimeout } from '../records/deadline.ts';
import { hasArrived } from '../records/arrivals.ts';
import { pausedAt } from '../records/clock.ts';
import type { MailWait } from '../records/mail.ts';
import { DEAD, OPEN, isIn } from '../records/phase.ts';
import { carriedSince, endOfTime, runsBelow, type Run } from '../records/run.ts';
import { isAnyAtWork, hasNews, mailToGoOnFor, wakes, type WritersMark } from './due.ts';
import { tellIfDone } from './held-ends.ts';
import type { ResidentPorts } from './ports.ts';
import { wakeFor } from './start-again.ts';

// Writers call these after they write, to wake waiting agents. An agent that begins to wait looks once more after it
// has said so. So at least one of the two sees the other, and a second wake fails at the fence in the run's record.

/**
 * Wakes an agent that has been written to, wherever it has stopped.
 * @returns the ARN of the execution that was started, if one was
 */
export async function wakeAgent(
  run: Run,
  mail: WritersMark,
  ports: ResidentPorts,
): Promise<string | undefined> {
  await wakeWaiting(run.root, ports);
  return wakes(mail, run) ? wakeFor(mail, run, ports) : undefined;
}

/**
 * Wakes an agent for a message that a person has left. An agent at work reads it with its next turn; one that has ended
 * continues in a new execution, with time of its own.
 * @returns the ARN of the execution that was started for it; undefined if an existing one reads the message
 */
export async function wakeForPerson(id: string, ports: ResidentPorts): Promise<string | undefined> {
  const run = await ports.store.run(id);
  return run && wakeAgent(run, {}, ports);
}

/** Wakes all agents of a tree whose wait is over, and tells of ends that were held back until now. */
export async function wakeWaiting(root: string, ports: ResidentPorts): Promise<void> {
  const waits = await ports.store.mailWaits(root);
  if (waits.length === 0) return;
  const tree = await ports.store.tree(root);
  let isAnyTold = false;
  for (const wait of waits.filter(({ isEnd }) => isEnd)) {
    isAnyTold = (await tellIfDone(wait, tree, ports)) || isAnyTold;
  }
  // An agent that was told may be one of those that wait.
  if (isAnyTold) return wakeWaiting(root, ports);
  for (const wait of waits.filter(({ isEnd }) => !isEnd)) await wakeIfOver(wait, tree, ports);
}

/**
 * Wakes an agent whose wait is over; an idle one that a person has written to has all of its time again.
 * @returns whether it is over
 */
export async function wakeIfOver(
  wait: MailWait,
  tree: readonly Run[],
  ports: ResidentPorts,
): Promise<boolean> {
  if (!(await isOver(wait, tree, ports))) return false;
  const idle = wait.at === undefined ? tree.find(({ id }) => id === wait.run) : undefined;
  const mail = idle && (await mailToGoOnFor(idle, ports.store));
  const isPersons = mail !== undefined && mail.from === undefined;
  await ports.wake(
    wait.token,
    idle && isPersons ? { deadline: await wholeTime(idle, wait.deadline ?? endOfTime(idle), ports) } : {},
  );
  await ports.store.deleteMailWait(wait);
  return true;
}

/** Whether an agent that waits has anything to do. */
export async function isOver(
  { run: id, at }: MailWait,
  tree: readonly Run[],
  { store }: Pick<ResidentPorts, 'store'>,
): Promise<boolean> {
  const run = tree.find((one) => one.id === id);
  if (run === undefined || !isIn(OPEN, run)) return true;
  if (at === undefined) return (await hasNews(run, store)) || !(await isAnyAtWork(run, tree, store));
  if (tree.some((one) => isEndingWith(one, run))) return false;
  const [turn, mails] = await Promise.all([store.turn(id, at.turn), store.mails(id)]);
  const plan = turn?.plans[at.call - 1];
  return plan?.kind !== 'wait' || hasArrived(plan, at, mails, tree);
}

/** Whether an agent has ended, and another one below it is about to end with it, which waits again if both go on. */
function isEndingWith(ended: Run, below: Run): boolean {
  const isEarlier = carriedSince(below) <= Date.parse(ended.endedAt ?? '');
  return isIn(DEAD, ended) && isEarlier && runsBelow(ended, [below]).length > 0;
}

/** @param until when its time would be over otherwise @returns the end of its time, now that it has all of it again */
async function wholeTime(run: Run, until: TreeInstant, { store, now }: ResidentPorts): Promise<TreeInstant> {
  const [opened, clock] = await Promise.all([store.opened(run.id), store.clock(run.root)]);
  const seconds: Seconds = (opened?.timeout ?? 0) || usualTimeout(opened?.service);
  const time = onTreeClock(now(), pausedAt(clock, now()));
  return latest(until, later(time, toMillis(seconds)));
}
