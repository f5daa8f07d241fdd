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

/** Leaves the request in the store and starts its run. @returns the execution's ARN */
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
 * Goes on with a run that has no answer, in a new execution, as it was opened. What is left of its tree is stopped
 * first, so that nothing is carried by two.
 * @param timeout seconds from now on, in place of those that it was opened with
 * @returns the record, which the new execution carries from now on
 * @throws {ConfigError} if the run is no tree's top, has its answer, or is being carried out
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
  // Read after its tree: as long as nobody has taken the run over, what runs below it is left over. And after its
  // execution was asked for: one that ends in between has closed the record.
  const current = (await store.run(run.id)) ?? run;
  if (current.holder !== run.holder || isRunning) throw carriedOut(run.id);
  if (hasAnswer(current)) throw answered(current);
  for (const left of tree) {
    if (left.parent !== undefined && (await isCarried(left, executions))) {
      await executions.stop(left.execution, `run "${run.id}" is resumed`);
    }
  }
  const claim = await startNext(current, timeout, executions);
  // Opening the execution does so too; whoever looks at the record meanwhile must not take it for ended.
  const lastSeen = (await store.newestTurn(run.id))?.at;
  const held = await holdRun(current, claim, lastSeen, { store, now });
  return held ?? (await store.run(run.id)) ?? current;
}

/** Starts the next execution of a run. One that ended before it could carry the run has taken a name, and no more. */
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

/** As far as can be told from here: whether a run has not ended, and its execution has not either. */
async function isCarried({ status, execution }: Run, executions: Executions): Promise<boolean> {
  return status === 'running' && executions.isRunning(execution);
}

function answered({ id, status }: Run): ConfigError {
  return new ConfigError(`run "${id}" already has an answer: it is ${status}`);
}

function carriedOut(run: string, cause?: unknown): ConfigError {
  return new ConfigError(`run "${run}" is running; wait for it, or stop it first`, { cause });
}
