import { FORMAT } from '../machine/format.ts';
import { ownerOf } from '../records/owner.ts';
import { STOPPED } from '../records/closing-reason.ts';
import { isIn, OPEN } from '../records/phase.ts';
import { startsFork, type StartPlan } from '../records/plan.ts';
import { preview } from '../records/preview.ts';
import { childOf } from '../records/run-id.ts';
import { isAhead, NO_USAGE, type Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import type { Ended } from './kind.ts';

// Records of agents, written before the executions that will carry them: if an execution never opens its agent, that is
// noticed, and the caller is told. That of a fork is written only then: its name says until then that it is being started.

/**
 * Writes the record of an agent that is about to be started. Ending its caller closes the caller's record first and
 * then looks for runs below it; this writes the record first and then looks at the caller. So at least one of the two
 * sees the other.
 * @returns the stored record: stopped if its caller has ended, to begin when that continues
 */
export async function writeAhead(
  plan: StartPlan,
  { run: parent, turn, call, limits, store }: Pick<Ended, 'run' | 'turn' | 'call' | 'limits' | 'store'>,
  now: Instant,
): Promise<Run> {
  const { agent, name, task } = plan;
  const { id, path } = childOf(parent, turn, call, agent);
  const written = await store.insertRun({
    id,
    v: FORMAT,
    root: parent.root,
    parent: { run: parent.id, turn, call },
    path,
    agent,
    name: await store.claimName({ id, path }, name),
    beside: true,
    model: '',
    ...(startsFork(plan) ? { derivedBy: 'fork', depth: limits.depth } : { depth: limits.depth + 1 }),
    ...ownerOf(parent),
    status: 'running',
    startedAt: new Date(now).toISOString(),
    task: preview(task),
    holder: 0,
    execution: '',
    timeout: 0,
    usage: NO_USAGE,
  });
  const caller = await store.run(parent.id);
  return caller === undefined || isIn(OPEN, caller) ? written : stopAhead(written, { store, now });
}

/**
 * Stops an agent that a late function wrote down for a caller that had ended, even with an answer: until that continues,
 * nobody starts it.
 * @returns the stored record
 */
export function stopAhead(run: Run, ports: Pick<Ended, 'store' | 'now'>): Promise<Run> {
  return closeAhead(run, { status: 'stopped', failure: { error: 'Stopped', message: STOPPED } }, ports);
}

/**
 * Closes the record of an agent that could not be started, unless it has been opened after all.
 * @returns the stored record
 */
export async function closeAhead(
  run: Run,
  end: Required<Pick<Run, 'status' | 'failure'>>,
  { store, now }: Pick<Ended, 'store' | 'now'>,
): Promise<Run> {
  const endedAt = new Date(now).toISOString();
  const close = (one: Run): Run =>
    isAhead(one) && one.status === 'running' ? { ...one, ...end, endedAt } : one;
  return (await store.updateRun(run.id, close, run)) ?? run;
}
