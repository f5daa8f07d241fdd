import { ConfigError } from '../errors.ts';
import { AlreadyStartedError, type Executions } from '../executions/executions.ts';
import { FORMAT } from '../machine/format.ts';
import type { RunStore } from '../runs/ports.ts';
import { executionName } from '../runs/run-id.ts';
import { hasAnswer, type Run, type RunRequest } from '../runs/run.ts';
import { holdRun, type Claim } from './hold.ts';

interface StartPorts {
  store: RunStore;
  executions: Executions;
}

/** Saves the request and starts its run. @returns the execution's ARN */
export async function startRun(
  id: string,
  request: RunRequest,
  { store, executions }: StartPorts,
): Promise<string> {
  await store.saveRequest(id, request);
  return executions.start(id, { v: FORMAT, agent: request.agent, run: id, depth: 0 });
}

interface ResumePorts extends StartPorts {
  now: () => number;
}

/**
 * Resumes a run that has no answer, unchanged and in a new execution. Whatever still runs below it is stopped first, so
 * that no run is carried by two executions.
 * @param timeout seconds from now, in place of the timeout that it was opened with
 * @returns the record, which the new execution carries from now on
 * @throws {ConfigError} if the run is not the top of a tree, has its answer, or is still being carried out
 */
export async function resumeRun(
  run: Run,
  timeout: number | undefined,
  { store, executions, now }: ResumePorts,
): Promise<Run> {
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
  const claim = await startNext(current, timeout, executions);
  // Opening the execution does this too, but until then nobody must take the run for ended.
  const lastSeen = (await store.newestTurn(run.id))?.at;
  const held = await holdRun(current, claim, lastSeen, { store, now });
  return held ?? (await store.run(run.id)) ?? current;
}

/** Starts the next execution of a run, passing over names that executions took which never came to carry the run. */
async function startNext(
  { id, agent, holder: last }: Run,
  timeout: number | undefined,
  executions: Executions,
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
async function isCarried({ status, execution }: Run, executions: Executions): Promise<boolean> {
  return status === 'running' && executions.isRunning(execution);
}

function answered({ id, status }: Run): ConfigError {
  return new ConfigError(`run "${id}" already has an answer: it is ${status}`);
}

function carriedOut(run: string, cause?: unknown): ConfigError {
  return new ConfigError(`run "${run}" is running; wait for it, or stop it first`, { cause });
}
