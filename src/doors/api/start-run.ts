import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '../../core/agent-schema/agent.ts';
import { DEFAULT_TIMEOUT } from '../../core/records/deadline.ts';
import type { RunStore } from '../../core/records/ports.ts';
import { newRunId } from '../../core/records/run-id.ts';
import { preview } from '../../core/records/preview.ts';
import type { RunRequest } from '../../core/records/request.ts';
import { NO_USAGE, type Run } from '../../core/records/run.ts';
import { FORMAT } from '../../core/machine/format.ts';
import { startRun } from '../../core/lifecycle/start.ts';
import { AlreadyStartedError, type Executions } from '../../core/machine/executions.ts';
import { Problem } from './problem.ts';

export interface StartRunPorts {
  runs: RunStore;
  executions: Executions;
  now: () => number;
}

/**
 * The id for a run that is asked for. With a key it is the id that the key was bound to first, however often and by
 * however many at once it is asked for. An id that follows from the key alone would tell no time, and lists of runs
 * are in order of their ids.
 * @throws {Problem} 409 if something else was asked for with the key
 */
export async function idFor(
  request: RunRequest,
  idempotencyKey: string | undefined,
  { runs, now }: StartRunPorts,
): Promise<string> {
  const id = newRunId(request.agent, now());
  if (idempotencyKey === undefined) return id;
  const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  const { owner } = request;
  const bound = await runs.bind(
    owner === undefined ? idempotencyKey : JSON.stringify([owner, idempotencyKey]),
    { run: id, digest },
  );
  if (bound.digest === digest) return bound.run;
  throw new Problem(409, `this Idempotency-Key belongs to another request, which started run "${bound.run}"`);
}

/**
 * Starts the run unless it is there. Its record is there too when this returns, so that it can be read and stopped
 * before its execution has opened it.
 * @throws {Problem} 409 if another process is about to start it, or ended while it was
 */
export async function startOnce(
  id: string,
  request: RunRequest,
  agent: Agent,
  { runs, executions, now }: StartRunPorts,
): Promise<Run> {
  const known = await runs.run(id);
  if (known !== undefined) return known;
  const startedAt = now();
  let execution: string;
  try {
    execution = await startRun(id, request, { store: runs, executions });
  } catch (thrown) {
    if (!(thrown instanceof AlreadyStartedError)) throw thrown;
    return startedElsewhere(id, runs);
  }
  return runs.insertRun({
    id,
    v: FORMAT,
    root: id,
    path: '',
    agent: request.agent,
    model: request.overrides?.model ?? agent.model,
    depth: 0,
    ...(request.owner !== undefined && { owner: request.owner }),
    status: 'running',
    startedAt: new Date(startedAt).toISOString(),
    task: preview(request.prompt || request.context || ''),
    holder: 1,
    execution,
    timeout: (request.overrides?.timeout ?? agent.timeout) || DEFAULT_TIMEOUT,
    usage: NO_USAGE,
  });
}

/** The record follows the start within milliseconds. */
const LOOKS = 50;
const LOOK_AGAIN_MS = 20;

async function startedElsewhere(id: string, runs: RunStore): Promise<Run> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const run = await runs.run(id);
    if (run !== undefined) return run;
    await delay(LOOK_AGAIN_MS);
  }
  throw new Problem(409, `run "${id}" is being started by another process; send the request again`);
}
