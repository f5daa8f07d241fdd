import { shownStatus } from '../../core/reports/shown-tree.ts';
import { OPEN, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import type { RunList, RunResource } from './answers.ts';
import type { ApiContext } from './context.ts';
import type { PageQuery } from './request-parameters.ts';
import { belongsTo, toResource } from './run-resources.ts';

/** So many runs are looked through for a page of some of them. */
const MAX_LOOKED_THROUGH = 1_000;

/**
 * One page of runs, newest first, and where the next one begins. A page of some of them may have fewer than there are.
 * @param subject as for `findRun`
 */
export async function listRuns(
  { limit, after, ...wanted }: PageQuery,
  context: ApiContext,
  subject?: string,
): Promise<RunList> {
  const page: Promise<RunResource>[] = [];
  let next: string | null = null;
  const isWhole = subject === undefined && Object.keys(wanted).length === 0;
  let left = isWhole ? limit : MAX_LOOKED_THROUGH;
  for await (const run of context.environment.records.roots(left, after)) {
    left -= 1;
    if (belongsTo(run, subject) && (await isWanted(run, wanted, context)))
      page.push(toResource(run, context));
    if (page.length < limit && left > 0) continue;
    next = run.id;
    break;
  }
  return { runs: await Promise.all(page), next };
}

async function isWanted(
  run: Run,
  { agent, status, text }: Pick<PageQuery, 'agent' | 'status' | 'text'>,
  context: ApiContext,
): Promise<boolean> {
  if (agent !== undefined && run.agent !== agent) return false;
  const words = [run.task, run.failure?.message, run.exceeded].join('\n').toLowerCase();
  if (text !== undefined && !words.includes(text.toLowerCase())) return false;
  if (status === undefined) return true;
  if (!isIn(OPEN, run)) return run.status === status;
  return shownStatus(run, !(await context.environment.records.isCarriedOut(run.root))) === status;
}
