import { FORMAT } from '../machine/format.ts';
import { ownerOf } from '../records/owner.ts';
import type { StartPlan } from '../records/plan.ts';
import { preview } from '../records/preview.ts';
import { childOf } from '../records/run-id.ts';
import { isAhead, NO_USAGE, type Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import type { Ended } from './kind.ts';

// Records of agents ahead of the executions that are to carry them: should one never open its agent, that is noticed, and
// its caller is told.

/** Writes the record of an agent that is about to be started. @returns it as it is kept */
export async function writeAhead(
  { agent, name, task }: StartPlan,
  { run: parent, turn, call, limits, store }: Pick<Ended, 'run' | 'turn' | 'call' | 'limits' | 'store'>,
  now: Instant,
): Promise<Run> {
  const { id, path } = childOf(parent, turn, call, agent);
  return store.insertRun({
    id,
    v: FORMAT,
    root: parent.root,
    parent: { run: parent.id, turn, call },
    path,
    agent,
    name: await store.claimName({ id, path }, name),
    beside: true,
    model: '',
    depth: limits.depth + 1,
    ...ownerOf(parent),
    status: 'running',
    startedAt: new Date(now).toISOString(),
    task: preview(task),
    holder: 0,
    execution: '',
    timeout: 0,
    usage: NO_USAGE,
  });
}

/**
 * Closes the record of an agent that could not be started, unless it has been opened after all.
 * @returns it as it is kept
 */
export async function closeAhead(
  run: Run,
  message: string,
  { store, now }: Pick<Ended, 'store' | 'now'>,
): Promise<Run> {
  const endedAt = new Date(now).toISOString();
  const failure = { error: 'AgentError', message };
  const close = (one: Run): Run =>
    isAhead(one) && one.status === 'running' ? { ...one, status: 'failed', failure, endedAt } : one;
  return (await store.updateRun(run.id, close, run)) ?? run;
}
