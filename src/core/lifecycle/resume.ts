import { type Seconds } from '../records/times.ts';
import { ConfigError } from '../../errors.ts';
import { FORMAT } from '../machine/format.ts';
import type { Allowance } from '../records/amounts.ts';
import { setBack } from '../records/clock.ts';
import { ANSWERED, isIn, OPEN, UNDER_WAY } from '../records/phase.ts';
import type { Run } from '../records/run.ts';
import { holdRun } from '../turn/hold.ts';
import { addToBudget } from './add-budget.ts';
import type { StartingPorts } from './ports.ts';
import { endDoomed, isAnyLeft, isAnyRunning, isRunning, recover } from './recover.ts';
import { isRedriven } from './redriven.ts';
import { startNext } from './start-next.ts';
import { defined } from '../../defined.ts';

/** There is nothing to resume: another process carries the run, or it has its answer. */
class NotResumableError extends ConfigError {}

/** It has its answer, and nothing of its tree is left to do. */
export class NothingLeftError extends NotResumableError {}

/** The changes with which a run is resumed. */
export interface Resumption {
  /** From now, in place of the timeout that it was opened with. */
  timeout?: Seconds | undefined;
  /** `provider/model-name`, which replaces the model that it was opened with; runs below it keep theirs. */
  model?: string | undefined;
  /** Added to what the tree may spend, unless it is refused. */
  add?: Allowance | undefined;
  /** The person who resumes it, if known. */
  by?: string | undefined;
}

/**
 * Resumes a run that has no answer, unchanged and in a new execution, together with the agents below it that no call
 * waits for. Executions that still run below it are stopped first, so that no run is carried by two. If the run has its
 * answer, agents continue that were woken since, or should have been, and those that were stopped before they answered
 * a person. If it dies midway, it can be repeated.
 * @returns the record, which the new execution carries from now on
 * @throws {NotResumableError} if nothing is left to do, or the run is still being carried
 * @throws {ConfigError} if the run is not the top of a tree
 */
export async function resumeRun(
  run: Run,
  { timeout, model, add, by }: Resumption,
  ports: StartingPorts,
): Promise<Run> {
  const { store, executions, now } = ports;
  assertTop(run);
  await endDoomed(run.id, ports);
  const tree = await store.tree(run.id);
  const isAtWork = isIn(OPEN, run) && (await isRunning(run, executions));
  // Read after the tree: unless another process has taken the run over, every execution below it is left over. Read
  // after the execution was checked, too: one that ends in between has closed the record.
  const current = (await store.run(run.id)) ?? run;
  const isRefused = !isIn(ANSWERED, current) && (isAtWork || current.holder !== run.holder);
  if (add !== undefined && !isRefused) await addToBudget(run.root, add, by, ports);
  if (isIn(ANSWERED, current)) {
    const [first] = await recover(tree, 'owed', ports);
    if (first === undefined) throw answered(current);
    return { ...((await store.run(first.id)) ?? current), execution: first.execution };
  }
  if (isRefused) {
    await recover(tree, 'interrupted', ports);
    throw carriedOut(run.id);
  }
  if (await isRedriven(current, executions)) {
    await executions.stop(current.execution, `run "${run.id}" is resumed`);
  }
  const { agent, wokenBy, isForPerson } = current;
  const forWhom = defined({ wokenBy, isForPerson });
  const inputOf = (holder: number) => ({
    v: FORMAT,
    agent,
    run: run.id,
    holder,
    depth: 0,
    ...forWhom,
    ...defined({ timeout }),
  });
  const changes = defined({ chosenModel: model, resumedBy: by });
  if (Object.keys(changes).length > 0) {
    await store.updateRun(run.id, (one) => (one.holder === run.holder ? { ...one, ...changes } : one));
  }
  let held: Run | undefined;
  await recover(tree, 'whole', ports, async () => {
    // Before anything goes on that may ask a person.
    await store.changeClock(run.id, (clock) => clock && setBack(clock, current.holder + 1));
    const started = await startNext(current, inputOf, executions);
    if ('carried' in started) throw carriedOut(run.id, started.carried);
    // Opening the execution does this too, but until then readers would take the run for ended.
    const lastSeen = (await store.newestTurn(run.id))?.at;
    held = await holdRun(current, { ...started, ...forWhom }, lastSeen, { store, now });
  });
  return held ?? (await store.run(run.id)) ?? current;
}

/**
 * Continues a tree without a carrier: interrupted runs, and those that have mail. Runs that were stopped or have failed
 * stay as they are.
 * @returns an execution that was started; undefined: nothing was left to do, or the rest runs already
 */
export async function goOn(root: string, ports: StartingPorts): Promise<string | undefined> {
  const { store, executions } = ports;
  const tree = await store.tree(root);
  const top = tree.find(({ id }) => id === root);
  if (top === undefined) return undefined;
  // If anything of the tree is at work here, everything that was left of it was continued.
  const isCarriedOn = await isAnyRunning(tree, executions);
  if (isIn(UNDER_WAY, top) && !isCarriedOn) {
    try {
      return (await resumeRun(top, {}, ports)).execution;
    } catch (thrown) {
      if (thrown instanceof NotResumableError) return undefined;
      throw thrown;
    }
  }
  const [first] = await recover(tree, isCarriedOn ? 'written_to' : 'interrupted', ports);
  return first?.execution;
}

/** @throws {NothingLeftError} if the run has its answer, and nothing of its tree is left to do */
export async function assertAnyLeft(run: Run, ports: StartingPorts): Promise<void> {
  if (isIn(ANSWERED, run) && !(await isAnyLeft(run, ports))) throw answered(run);
}

/** @throws {ConfigError} if it is a sub-agent's run: trees are resumed as a whole */
export function assertTop({ id, root, parent }: Run): void {
  if (parent === undefined) return;
  throw new ConfigError(`"${id}" is a sub-agent's run; resume the whole tree: "${root}"`);
}

function answered({ id, status }: Run): NothingLeftError {
  return new NothingLeftError(`run "${id}" already has an answer: its status is ${status}`);
}

function carriedOut(run: string, cause?: unknown): NotResumableError {
  return new NotResumableError(`run "${run}" is running; wait for it, or stop it first`, { cause });
}
