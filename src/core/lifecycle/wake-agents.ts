import {
  later,
  latest,
  onTreeClock,
  timeUntil,
  toMillis,
  type Seconds,
  type TreeInstant,
} from '../records/times.ts';
import { usualTimeout, childDeadline } from '../records/deadline.ts';
import type { Claim } from '../turn/hold.ts';
import { FORMAT } from '../machine/format.ts';
import { hasArrived } from '../records/arrivals.ts';
import { pausedAt } from '../records/clock.ts';
import { tellsOfEnd, type MailWait } from '../records/mail.ts';
import { DEAD, OPEN, isIn } from '../records/phase.ts';
import { carriedSince, endOfTime, runsBelow, type Run } from '../records/run.ts';
import { isAnyAtWork, hasNews, mailToGoOnFor, MAX_WAKES, wakes, type WritersMark } from './due.ts';
import type { ResidentPorts, StartingPorts } from './ports.ts';
import { startNext } from './start-next.ts';
import { defined } from '../../defined.ts';

// Writers call these after they write, to wake waiting agents; an agent that begins to wait looks once more after it
// has said so. So one of both sees the other, and a wake that is done twice ends at the fence in the run's record.

/**
 * Has an agent go on that has been written to, wherever it has stopped.
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

/** Wakes all agents of a tree whose wait is over. */
export async function wakeWaiting(root: string, ports: ResidentPorts): Promise<void> {
  const waits = await ports.store.mailWaits(root);
  if (waits.length === 0) return;
  const tree = await ports.store.tree(root);
  for (const wait of waits) await wakeIfOver(wait, tree, ports);
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

/** An execution that goes on with a run. */
export interface Continuation {
  id: string;
  execution: string;
}

/** Starts an agent again for a message that it rests beside, unless agents have woken each other too often. */
export async function wakeFor(
  mail: WritersMark,
  run: Run,
  ports: StartingPorts,
): Promise<string | undefined> {
  const isForPerson = mail.from === undefined;
  if (!isForPerson && mail.kind !== 'end' && !(await mayWake(run, ports))) return undefined;
  const wokenBy = tellsOfEnd(mail) ? undefined : mail.from;
  return startAgain(run, { wokenBy, isForPerson }, ports);
}

/**
 * Starts the next execution of a run, unless another process has.
 * @param forWhom as in `Run`; for a person it has all of its time again, in place of its tree's rest
 * @param until its deadline by the tree's clock; absent: it has all the time that is left, or time of its own
 * @returns its ARN; undefined where there is no time left, or another process carries it
 */
export async function startAgain(
  run: Pick<Run, 'agent' | 'depth' | 'holder' | 'id' | 'parent' | 'root'>,
  { wokenBy, isForPerson }: Pick<Claim, 'wokenBy' | 'isForPerson'>,
  ports: StartingPorts,
  until?: TreeInstant,
): Promise<string | undefined> {
  const { executions, store, now } = ports;
  const { id, agent, depth, parent, root } = run;
  const [top, opened, clock] = await Promise.all([store.run(root), store.opened(root), store.clock(root)]);
  const patience = opened?.patience ?? 0;
  const time = onTreeClock(now(), pausedAt(clock, now()));
  const inherited = !isForPerson && top !== undefined && isIn(OPEN, top) ? endOfTime(top) : undefined;
  const deadline = until ?? (inherited === undefined ? undefined : childDeadline(time, inherited));
  if (deadline !== undefined && timeUntil(deadline, time) <= 0) return undefined;
  const inputOf = (holder: number) => ({
    v: FORMAT,
    agent,
    run: id,
    holder,
    depth,
    isWoken: true,
    ...(parent !== undefined && { parent: { ...parent }, patience }),
    ...defined({ wokenBy }),
    ...(isForPerson && { isForPerson }),
    ...defined({ deadline }),
  });
  const started = await startNext(run, inputOf, executions);
  return 'carried' in started ? started.carried.execution : started.execution;
}

/** Counts the wakes of a tree at its top: once each, although several may wake an agent at the same moment. */
async function mayWake(run: Run, { store }: StartingPorts): Promise<boolean> {
  const wake = `${run.path}#${run.holder + 1}`;
  let may = true;
  await store.updateRun(run.root, (top) => {
    const { woken = [] } = top;
    const isCounted = woken.includes(wake);
    may = isCounted || woken.length < MAX_WAKES;
    return may && !isCounted ? { ...top, woken: [...woken, wake] } : top;
  });
  return may;
}

/**
 * @param until when its time would be over without that
 * @returns when the time of an agent is over that has all of it again
 */
async function wholeTime(run: Run, until: TreeInstant, { store, now }: ResidentPorts): Promise<TreeInstant> {
  const [opened, clock] = await Promise.all([store.opened(run.id), store.clock(run.root)]);
  const seconds: Seconds = (opened?.timeout ?? 0) || usualTimeout(opened?.service);
  const time = onTreeClock(now(), pausedAt(clock, now()));
  return latest(until, later(time, toMillis(seconds)));
}
