import { seconds, type Instant } from '../core/records/times.ts';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startRun } from '../core/lifecycle/start.ts';
import { StoreError } from '../errors.ts';
import { AlreadyStartedError, type Executions } from '../core/machine/executions.ts';
import { FORMAT } from '../core/machine/format.ts';
import { usualTimeout } from '../core/records/deadline.ts';
import type { RunStore } from '../core/records/ports.ts';
import { preview } from '../core/records/preview.ts';
import type { RunRequest } from '../core/records/request.ts';
import { defined } from '../defined.ts';
import { NO_USAGE, type Run } from '../core/records/run.ts';
import { assertNotPaused } from './assert-not-paused.ts';
import { assertWithinLimits, type AgentLimits, type DayLimitPorts } from './assert-within-limits.ts';
import type { NewRun } from './environment.ts';
import { KeyInUseError, StartingError } from './environment-errors.ts';
import { ownerOf } from '../core/records/owner.ts';

export interface StartPorts extends Pick<DayLimitPorts, 'limits'> {
  store: RunStore;
  executions: Pick<Executions, 'isRunning' | 'start'>;
  now: () => Instant;
  /**
   * Stores the request and begins it, under the lock of its tree, by which it is found if that is cut short; absent:
   * requests that are never begun expire.
   * @throws {AlreadyStartedError} if another process has the lock
   */
  hold?(root: string, begin: () => Promise<Run>): Promise<Run>;
}

/** A record's facts about the agent's file. */
export interface StartedAgent {
  model: string;
  /** Seconds; 0 for the usual. */
  timeout: number;
  limits?: AgentLimits;
  /** As its file has it; absent: it does not say. */
  service?: string | undefined;
  /** As in `Run`; absent: there is one pack. */
  pack?: string;
}

/**
 * Starts a run unless it is there. See `Environment.start`.
 * @param check finds the agent and the faults of the request; undefined where only the machine knows the agent, whose
 * first step then writes the record
 */
export async function startRecorded(
  { id: wanted, request, once, open, files = [] }: NewRun,
  ports: StartPorts,
  check: (request: RunRequest, id: string) => Promise<StartedAgent | undefined>,
): Promise<Run> {
  const { store, hold = (_, begin) => begin() } = ports;
  const id = once === undefined ? wanted : await boundTo(once, wanted, request, store);
  const known = await store.run(id);
  if (known !== undefined) return known;
  await assertNotPaused(store);
  const agent = await check(request, id);
  await assertWithinLimits(request, agent?.limits, ports);
  const begin = async (): Promise<Run> => {
    if (files.length > 0) await (await import('../core/attachments/keep.ts')).keepFiles(id, files, store);
    if (open !== undefined) {
      const opened = open(id);
      const { forkedFrom } = request;
      if (forkedFrom !== undefined) {
        await (await import('../core/attachments/keep.ts')).copyFiles(forkedFrom.root, opened, store);
      }
      await store.saveOpened(id, opened);
    }
    const startedAt = new Date(ports.now()).toISOString();
    const execution = await startRun(id, request, ports);
    if (agent === undefined) return recorded(id, execution, ports);
    return store.insertRun({
      id,
      v: FORMAT,
      root: id,
      path: '',
      agent: request.agent,
      model: request.overrides?.model ?? agent.model,
      depth: 0,
      ...defined({ pack: agent.pack }),
      ...ownerOf(request),
      ...defined({ tags: request.tags, traceparent: request.traceparent }),
      status: 'running',
      startedAt,
      ...defined({ forkedFrom: request.forkedFrom }),
      task: preview(request.prompt || request.context || ''),
      holder: 1,
      execution,
      timeout:
        (request.overrides?.timeout ?? seconds(agent.timeout)) ||
        usualTimeout(request.overrides?.service ?? agent.service),
      usage: NO_USAGE,
    });
  };
  try {
    return await hold(id, begin);
  } catch (thrown) {
    if (!(thrown instanceof AlreadyStartedError)) throw thrown;
    return startedElsewhere(id, store);
  }
}

/**
 * The id to which the caller's key was bound first, however often and at once it is asked for. An id derived from the
 * key would tell no time, and lists of runs are ordered by id.
 */
async function boundTo(key: string, id: string, request: RunRequest, store: RunStore): Promise<string> {
  // A request may equal that of an earlier release, which did not name the issuer. Each attempt of a client may have
  // its own span.
  const { issuer, traceparent: _traceparent, ...asked } = request;
  const { owner } = asked;
  const digest = createHash('sha256').update(JSON.stringify(asked)).digest('hex');
  // Earlier releases bound the plain key, or the key with its owner, and clients may still repeat such a request. But a
  // key may have begun something that is also kept under such a name.
  const before = await store.bound(owner === undefined ? key : JSON.stringify([owner, key]));
  const bound =
    before ??
    (await store.bind(`request of ${JSON.stringify([owner, issuer])}: ${key}`, { run: id, digest }));
  if (bound.digest !== digest) throw new KeyInUseError(bound.run);
  return bound.run;
}

/** The record follows the start within milliseconds. */
const LOOKS = 50;
const LOOK_AGAIN_MS = 20;

async function startedElsewhere(id: string, store: RunStore): Promise<Run> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const run = await store.run(id);
    if (run !== undefined) return run;
    await delay(LOOK_AGAIN_MS);
  }
  throw new StartingError(`run "${id}" is being started by another process; send the request again`);
}

/** How often to look for a record that the execution itself writes. */
const RECORD_MS = 500;

async function recorded(id: string, execution: string, { store, executions }: StartPorts): Promise<Run> {
  for (let isRunning = true; ; await delay(RECORD_MS)) {
    const run = await store.run(id);
    if (run !== undefined) return run;
    if (!isRunning) throw new StoreError(`run "${id}" left no record`);
    // It has just begun.
    isRunning = await executions.isRunning(execution, Infinity);
  }
}
