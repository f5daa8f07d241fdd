import { childDeadline } from '../records/deadline.ts';
import type { Claim } from '../turn/hold.ts';
import { FORMAT } from '../machine/format.ts';
import { pausedAt } from '../records/clock.ts';
import { tellsOfEnd } from '../records/mail.ts';
import { OPEN, isIn } from '../records/phase.ts';
import { endOfTime, type Run } from '../records/run.ts';
import { onTreeClock, timeUntil, type TreeInstant } from '../records/times.ts';
import { MAX_WAKES, type WritersMark } from './due.ts';
import type { StartingPorts } from './ports.ts';
import { startNext } from './start-next.ts';
import { defined } from '../../defined.ts';

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
 * @param forWhom as in `Run`; for a person it has all of its time again, instead of what its tree has left
 * @param until its deadline by the tree's clock; absent: it has all the time that is left, or time of its own
 * @returns its ARN; undefined if there is no time left, or another process carries it
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

/** Counts the wakes of a tree at its top: each once, although several processes may wake an agent at once. */
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
