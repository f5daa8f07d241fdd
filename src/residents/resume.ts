import { ConfigError } from '../errors.ts';
import { AlreadyStartedError } from '../executions/executions.ts';
import { FORMAT } from '../machine/format.ts';
import { executionName } from '../runs/run-id.ts';
import { hasAnswer, isFork, isKilled, type Run } from '../runs/run.ts';
import { holdRun, type Claim } from '../conversation/hold.ts';
import type { ResidentPorts, StartingPorts } from './ports.ts';
import { startAgain } from './wake-agents.ts';

/**
 * Resumes a run that has no answer, unchanged and in a new execution. Whatever still runs below it is stopped first, so
 * that no run is carried by two executions.
 * @param timeout seconds from now, in place of the timeout that it was opened with
 * @returns the record, which the new execution carries from now on
 * @throws {ConfigError} if the run is not the top of a tree, has its answer, or is still being carried out
 */
export async function resumeRun(run: Run, timeout: number | undefined, ports: StartingPorts): Promise<Run> {
  const { store, executions, now } = ports;
  if (run.parent !== undefined) {
    throw new ConfigError(`"${run.id}" is a sub-agent's run; resume the whole tree: "${run.root}"`);
  }
  if (hasAnswer(run)) throw answered(run);
  const tree = await store.tree(run.id);
  const isRunning = await isCarried(run, executions);
  // Read after the tree: as long as nobody has taken the run over, whatever runs below it is left over. Read after the
  // execution was checked, too: one that ends in between has closed the record.
  const current = (await store.run(run.id)) ?? run;
  if (current.holder !== run.holder || isRunning) throw carriedOut(run.id);
  if (hasAnswer(current)) throw answered(current);
  for (const left of tree) {
    if (left.parent !== undefined && (await isCarried(left, executions))) {
      await executions.stop(left.execution, `run "${run.id}" is resumed`);
    }
  }
  const forks = tree.filter(goesOn);
  // As long as the top has not answered again, it finds them at work.
  for (const { id } of forks) await store.updateRun(id, reopened);
  const claim = await startNext(current, timeout, executions);
  // Opening the execution does this too, but until then nobody must take the run for ended.
  const lastSeen = (await store.newestTurn(run.id))?.at;
  const held = await holdRun(current, claim, lastSeen, { store, now });
  for (const fork of forks) await startAgain(fork, { run: run.id, awaitsAnswer: false }, ports);
  return held ?? (await store.run(run.id)) ?? current;
}

/** A fork that was interrupted with its tree; whatever is not a fork is called again by its caller. */
function goesOn(run: Run): boolean {
  return isFork(run) && (run.status === 'running' || run.status === 'stopped') && !isKilled(run);
}

function reopened(run: Run): Run {
  if (!goesOn(run)) return run;
  const { failure: _failure, endedAt: _endedAt, ...open } = run;
  return { ...open, status: 'running' };
}

/** Starts the next execution of a run, passing over names that executions took which never came to carry the run. */
async function startNext(
  { id, agent, holder: last }: Run,
  timeout: number | undefined,
  executions: ResidentPorts['executions'],
): Promise<Claim> {
  for (let holder = last + 1; ; holder++) {
    const input = { v: FORMAT, agent, run: id, holder, depth: 0, ...(timeout !== undefined && { timeout }) };
    try {
      return { holder, execution: await executions.start(executionName(id, holder), input) };
    } catch (thrown) {
      if (!(thrown instanceof AlreadyStartedError)) throw thrown;
      const { execution } = thrown;
      if (execution === undefined || (await executions.isRunning(execution))) throw carriedOut(id, thrown);
    }
  }
}

/** Whether neither the run nor its execution has ended, as far as can be told from here. */
async function isCarried(
  { status, execution }: Run,
  executions: ResidentPorts['executions'],
): Promise<boolean> {
  return status === 'running' && executions.isRunning(execution);
}

function answered({ id, status }: Run): ConfigError {
  return new ConfigError(`run "${id}" already has an answer: it is ${status}`);
}

function carriedOut(run: string, cause?: unknown): ConfigError {
  return new ConfigError(`run "${run}" is running; wait for it, or stop it first`, { cause });
}
