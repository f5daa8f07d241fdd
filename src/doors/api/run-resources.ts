import { isRunId } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import { runOverview, treeReport } from '../../core/reports/run-report.ts';
import { shownTree, type ShownRun } from '../../core/reports/shown-tree.ts';
import { isToGoOn } from '../../places/until-rested.ts';
import type { ApiContext, WatchContext } from './context.ts';
import { Problem } from './problem.ts';
import type { RunResource } from './answers.ts';
import { maySee } from './subject.ts';

/** A run that the caller may see. It is not told whether somebody else has a run with that id. @throws {Problem} 404 */
export async function findRun(id: string, context: WatchContext): Promise<Run> {
  const run = isRunId(id) ? await context.environment.records.run(id) : undefined;
  if (run === undefined || !maySee(run, context)) throw new Problem(404, `no run ${JSON.stringify(id)}`);
  return run;
}

/**
 * Whether the run has not ended and has no carrier any more, so that it never will without help. The carrier is looked
 * up first: a run that ends in between is then read as ended.
 */
export async function isInterrupted({ id, root }: Run, { environment }: WatchContext): Promise<boolean> {
  const { records } = environment;
  if (await records.isCarriedOut(root)) return false;
  const run = await records.run(id);
  return run !== undefined && isToGoOn(run, records);
}

/**
 * The run when it has ended, after the given seconds, or when its caller has gone.
 * @throws {Problem} 409 if it is interrupted
 */
export async function untilEnded(
  run: Run,
  seconds: number,
  signal: AbortSignal,
  context: ApiContext,
): Promise<Run> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), Math.min(1000 * seconds, LONGEST_MS));
  if (seconds <= 0) over.abort();
  try {
    const both = AbortSignal.any([signal, over.signal]);
    const newest = await context.environment.ended(run.id, { signal: both });
    if (await isInterrupted(newest, context)) throw interrupted(newest);
    return newest;
  } finally {
    clearTimeout(timer);
  }
}

/** Longer ones end at once (Node.js, `setTimeout`). */
const LONGEST_MS = 2 ** 31 - 1;

function interrupted({ id, root }: Run): Problem {
  const knobs = `continue with: POST /runs/${root}/resume, or close it with: POST /runs/${id}/stop`;
  return new Problem(409, `run "${id}" was interrupted: its process is gone; ${knobs}`);
}

export async function toResource(run: Run, context: ApiContext): Promise<RunResource> {
  return summary(run, await shownTree(run, context.environment.records), context);
}

/** @param tree the run's own, as it is shown */
export function summary(run: Run, tree: ShownRun[], { environment }: ApiContext): RunResource {
  const shown = tree.find(({ id }) => id === run.id) ?? run;
  const link = run.execution === '' ? undefined : environment.link(run.execution);
  return {
    ...runOverview(shown),
    tree: treeReport(tree),
    ...(link !== undefined && { execution_url: link }),
  };
}
