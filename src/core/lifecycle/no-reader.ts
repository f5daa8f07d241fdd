import { isComputed } from '../model/model-name.ts';
import type { RunStore } from '../records/ports.ts';
import { OPEN, isIn } from '../records/phase.ts';
import type { Run } from '../records/run.ts';

/**
 * Why no model would read a message to a run, and whom to write to instead: its caller, or the agents that it has at
 * work. Undefined for every run that a model carries on.
 */
export async function noReaderOf(run: Run, store: Pick<RunStore, 'tree'>): Promise<string | undefined> {
  if (!isComputed(run.model)) return undefined;
  const started = (await store.tree(run.root)).filter((one) => one.parent?.run === run.id && isIn(OPEN, one));
  const others = [run.parent?.run, ...started.map(({ id }) => id)].filter((id) => id !== undefined);
  return `carries out delegate_task, and no model reads its messages; write to ${others.join(' or ')}`;
}
