import { ConfigError } from '../../errors.ts';
import { FORMAT } from '../machine/format.ts';
import { ANSWERED, OPEN, UNDER_WAY, isIn, phaseOf } from '../records/phase.ts';
import { isFork, runsBelow, type Run } from '../records/run.ts';
import { reopened } from '../records/reopened.ts';
import { holdRun } from '../turn/hold.ts';
import {
  brokenOff,
  endLeft,
  isAnyRunning,
  isRunning,
  isUntold,
  owedToPeople,
  type Left,
} from './broken-off.ts';
import type { StartingPorts } from './ports.ts';
import { startNext } from './start-next.ts';
import { startAgain, wakeForgotten, type Started } from './wake-agents.ts';

/** There is nothing to resume: somebody else carries the run on, or it has its answer. */
class NotResumableError extends ConfigError {}

/**
 * Resumes a run that has no answer, unchanged and in a new execution, and with it the agents below that nobody calls.
 * Whatever still runs below it is stopped first, so that no run is carried by two executions. Where the run has its
 * answer, agents go on that were woken since, or should have been, and those that were stopped before they answered a
 * person. One that died midway can be repeated.
 * @param timeout seconds from now, in place of the timeout that it was opened with
 * @returns the record, which the new execution carries from now on
 * @throws {NotResumableError} if nothing of it is left to do, or it is still being carried out
 * @throws {ConfigError} if the run is not the top of a tree
 */
export async function resumeRun(run: Run, timeout: number | undefined, ports: StartingPorts): Promise<Run> {
  const { store, executions, now } = ports;
  assertTop(run);
  await endLeft(await store.tree(run.id), ports);
  const tree = await store.tree(run.id);
  const isAtWork = await isCarried(run, executions);
  // Read after the tree: as long as nobody has taken the run over, whatever runs below it is left over. Read after the
  // execution was checked, too: one that ends in between has closed the record.
  const current = (await store.run(run.id)) ?? run;
  const isTaken = current.holder !== run.holder || isAtWork;
  const isOver = isIn(ANSWERED, current);
  const broken = await brokenOff(current, tree, store);
  if (isTaken || isOver) {
    const owed = isOver ? await owedToPeople(broken, tree, store) : [];
    await reopen(owed, ports);
    const left = [...broken.filter((one) => isIn(OPEN, one)), ...owed];
    const [first] = await startRest(left, isOver ? [] : [current], tree, ports);
    if (!isOver) throw carriedOut(run.id);
    if (first === undefined) throw answered(current);
    return { ...((await store.run(first.id)) ?? current), execution: first.execution };
  }
  // A redriven execution carries a closed record until it makes its next turn.
  if (!isIn(OPEN, current) && (await isRunning(current, executions))) {
    await executions.stop(current.execution, `run "${run.id}" is resumed`);
  }
  for (const left of tree) {
    if (left.parent !== undefined && (await isCarried(left, executions))) {
      await executions.stop(left.execution, `run "${run.id}" is resumed`);
    }
  }
  await reopen(broken, ports);
  const inputOf = (holder: number) => ({
    v: FORMAT,
    agent: current.agent,
    run: run.id,
    holder,
    depth: 0,
    ...(timeout !== undefined && { timeout }),
  });
  const started = await startNext(current, inputOf, executions);
  if ('carried' in started) throw carriedOut(run.id, started.carried);
  // Opening the execution does this too, but until then nobody must take the run for ended.
  const lastSeen = (await store.newestTurn(run.id))?.at;
  const held = await holdRun(current, started, lastSeen, { store, now });
  await startLeft(broken, [current], ports);
  const newest = await store.tree(run.id);
  await wakeForgotten(runsBelow(current, newest), newest, ports);
  return held ?? (await store.run(run.id)) ?? current;
}

/**
 * Carries a tree on that nobody carries out: what was interrupted, and what has been written to. What was stopped or
 * has failed stays as it is.
 * @returns an execution that was started; undefined: nothing was left to do, or what there is runs already
 */
export async function goOn(root: string, ports: StartingPorts): Promise<string | undefined> {
  const { store, executions } = ports;
  const tree = await store.tree(root);
  const top = tree.find(({ id }) => id === root);
  if (top === undefined) return undefined;
  // A tree of which anything is at work here was carried on with all that was left of it.
  const isCarriedOn = await isAnyRunning(tree, executions);
  if (isIn(UNDER_WAY, top) && !isCarriedOn) {
    try {
      return (await resumeRun(top, undefined, ports)).execution;
    } catch (thrown) {
      if (thrown instanceof NotResumableError) return undefined;
      throw thrown;
    }
  }
  const broken = isCarriedOn ? [] : await brokenOff(top, tree, store);
  const [first] = await startRest(
    broken.filter((one) => isIn(OPEN, one)),
    [],
    tree,
    ports,
  );
  return first?.execution;
}

/** @throws {ConfigError} if it is a sub-agent's run: trees are resumed as a whole */
export function assertTop({ id, root, parent }: Run): void {
  if (parent === undefined) return;
  throw new ConfigError(`"${id}" is a sub-agent's run; resume the whole tree: "${root}"`);
}

/**
 * Has agents at work again that were stopped: whoever opens an agent below finds them so, and so does the top, as long
 * as it has not answered again.
 */
async function reopen(stopped: readonly Left[], { store, now }: StartingPorts): Promise<void> {
  const isStopped = (one: Run) => phaseOf(one) === 'stopped';
  for (const { id } of stopped) {
    await store.updateRun(id, (one) => {
      if (!isStopped(one)) return one;
      return isUntold(one) ? idleAgain(one) : reopened(one, now());
    });
  }
}

function idleAgain({ failure: _failure, ...run }: Run): Run {
  return { ...run, status: 'idle' };
}

/**
 * Starts agents that are left without an execution, but for those that are called again by agents that go on.
 * @returns those that were started, with their executions
 */
async function startLeft(
  broken: readonly Left[],
  tops: readonly Left[],
  ports: StartingPorts,
): Promise<Started[]> {
  const { store, executions } = ports;
  const started: Started[] = [];
  for (const run of broken) {
    const caller = isFork(run) ? undefined : [...tops, ...broken].find(({ id }) => id === run.parent?.run);
    const made = caller === undefined ? undefined : ((await store.newestTurn(caller.id))?.number ?? 0);
    const isCalledAgain = made !== undefined && made <= (run.parent?.turn ?? 0);
    if (isUntold(run) || isCalledAgain || (await isRunning(run, executions))) continue;
    const execution = await startAgain(run, run, ports);
    if (execution !== undefined) started.push({ id: run.id, execution });
  }
  return started;
}

/** Starts what is left below a top that goes on by itself, or has its answer. */
async function startRest(
  left: readonly Left[],
  tops: readonly Left[],
  tree: readonly Run[],
  ports: StartingPorts,
): Promise<Started[]> {
  const started = await startLeft(left, tops, ports);
  return [...started, ...(await wakeForgotten(tree, tree, ports))];
}

/** Whether neither the run nor its execution has ended, as far as can be told from here. */
async function isCarried(run: Run, executions: StartingPorts['executions']): Promise<boolean> {
  return isIn(OPEN, run) && isRunning(run, executions);
}

function answered({ id, status }: Run): NotResumableError {
  return new NotResumableError(`run "${id}" already has an answer: its status is ${status}`);
}

function carriedOut(run: string, cause?: unknown): NotResumableError {
  return new NotResumableError(`run "${run}" is running; wait for it, or stop it first`, { cause });
}
