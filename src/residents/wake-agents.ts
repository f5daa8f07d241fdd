import { DEFAULT_TIMEOUT, childDeadline } from '../runs/deadline.ts';
import { FORMAT } from '../machine/format.ts';
import { hasArrived, isDead } from '../runs/arrivals.ts';
import { pausedAt } from '../runs/clock.ts';
import type { MailWait } from '../runs/mail.ts';
import { endOfTime, isFork, isOpen, runsBelow, type Run } from '../runs/run.ts';
import { hasToGoOn, isAnyAtWork } from './at-work.ts';
import type { ResidentPorts, StartingPorts } from './ports.ts';
import { startNext } from './start-next.ts';

// Whoever changes what an agent waits for calls these afterwards; whoever begins to wait looks once more after it has
// said so. So one of both sees the other, and a wake that is done twice ends at the fence in the run's record.

/** Agents that write to each other may do so for ever; between two messages of people they wake so many. */
export const MAX_WAKES = 100;

/** Who writes to an agent: a person, who gives it time of its own, or an agent, which may count on an answer. */
export type Writer = { run: string; awaitsAnswer: boolean } | 'person';

/**
 * Has an agent go on that has been written to, wherever it has stopped.
 * @returns the ARN of the execution that was started, if one was
 */
export async function wakeAgent(run: Run, writer: Writer, ports: ResidentPorts): Promise<string | undefined> {
  await wakeWaiting(run.root, ports, writer === 'person' ? run : undefined);
  const waits = run.status === 'running' || (run.status === 'idle' && !isFork(run));
  if (waits || (isDead(run) && writer !== 'person')) return undefined;
  return (await mayWake(run, writer, ports)) ? startAgain(run, writer, ports) : undefined;
}

/** Wakes all agents of a tree whose wait is over. @param extended one that has its whole time again */
export async function wakeWaiting(root: string, ports: ResidentPorts, extended?: Run): Promise<void> {
  const { store, wake, now } = ports;
  const waits = await store.mailWaits(root);
  if (waits.length === 0) return;
  const tree = await store.tree(root);
  for (const wait of waits) {
    if (!(await isOver(wait, tree, ports))) continue;
    const isExtended = wait.at === undefined && wait.run === extended?.id;
    await wake(wait.token, isExtended ? { deadline: await wholeTime(extended, now(), ports) } : {});
    await store.deleteMailWait(wait);
  }
}

/** Whether an agent that waits has anything to do. */
export async function isOver(
  { run: id, at }: MailWait,
  tree: readonly Run[],
  { store }: Pick<ResidentPorts, 'store'>,
): Promise<boolean> {
  const run = tree.find((one) => one.id === id);
  if (run === undefined || !isOpen(run)) return true;
  if (at === undefined) return (await hasToGoOn(run, store)) || !(await isAnyAtWork(run, tree, store));
  const [turn, mails] = await Promise.all([store.turn(id, at.turn), store.mails(id)]);
  const plan = turn?.plans[at.call - 1];
  return plan?.kind !== 'wait' || hasArrived(plan, mails, tree);
}

/** Starts an agent of the tree again that has no execution and has been written to: its writer may have died. */
export async function wakeForgotten(run: Run, tree: readonly Run[], ports: ResidentPorts): Promise<void> {
  for (const below of runsBelow(run, tree)) {
    if (below.status === 'idle' && isFork(below) && (await hasToGoOn(below, ports.store))) {
      await startAgain(below, { run: run.id, awaitsAnswer: false }, ports);
    }
  }
}

/**
 * Starts the next execution of a run, unless somebody else has.
 * @returns its ARN; undefined where there is no time left, or another process carries it
 */
export async function startAgain(
  run: Run,
  writer: Writer,
  ports: StartingPorts,
): Promise<string | undefined> {
  const { executions, store, now } = ports;
  const { id, agent, depth, parent, root } = run;
  const [top, opened, clock] = await Promise.all([store.run(root), store.opened(root), store.clock(root)]);
  const patience = opened?.patience ?? 0;
  const time = now() - pausedAt(clock, now());
  const inherited = writer !== 'person' && top !== undefined && isOpen(top) ? endOfTime(top) : undefined;
  const deadline = inherited === undefined ? undefined : childDeadline(time, inherited);
  if (deadline !== undefined && deadline <= time) return undefined;
  const inputOf = (holder: number) => ({
    v: FORMAT,
    agent,
    run: id,
    holder,
    depth,
    isWoken: true,
    ...(parent !== undefined && { parent: { ...parent }, patience }),
    ...(writer !== 'person' && writer.awaitsAnswer && { wokenBy: writer.run }),
    ...(deadline !== undefined && { deadline }),
  });
  const started = await startNext(run, inputOf, executions);
  return 'carried' in started ? started.carried.execution : started.execution;
}

/** Counts the wakes of a tree, at its top. */
async function mayWake({ root }: Run, writer: Writer, { store }: ResidentPorts): Promise<boolean> {
  let may = true;
  await store.updateRun(root, (top) => {
    if (writer === 'person') {
      const { wakes: _wakes, ...others } = top;
      return top.wakes === undefined ? top : others;
    }
    const { wakes = 0 } = top;
    may = wakes < MAX_WAKES;
    return may ? { ...top, wakes: wakes + 1 } : top;
  });
  return may;
}

/** Gives an agent all of its time again. @returns when that is over, by the tree's clock */
async function wholeTime(run: Run, now: number, { store }: ResidentPorts): Promise<number> {
  const [opened, clock] = await Promise.all([store.opened(run.id), store.clock(run.root)]);
  const seconds = (opened?.timeout ?? 0) || DEFAULT_TIMEOUT;
  const end = now - pausedAt(clock, now) + 1000 * seconds;
  const longer = Math.ceil((end - endOfTime(run)) / 1000);
  if (longer <= 0) return endOfTime(run);
  await store.updateRun(run.id, (current) => ({ ...current, timeout: run.timeout + longer }));
  return end;
}
