import { lastAnswerOf, outputOf } from '../../core/records/turn.ts';
import type { Run } from '../../core/records/run.ts';
import { runReport } from '../../core/reports/run-report.ts';
import { shownTree } from '../../core/reports/shown-tree.ts';
import type { RunResult } from './answers.ts';
import type { ApiContext } from './context.ts';
import { linkIfLarge } from './link-if-large.ts';

/** The result of a run that has ended. */
export async function toResult(run: Run, context: ApiContext): Promise<RunResult> {
  const tree = await shownTree(run, context.environment.records);
  const turns = await context.environment.records.turns(run.id);
  const content = lastAnswerOf(run, turns);
  const link = await linkIfLarge(content, `${run.id}/result`, context);
  return link === undefined
    ? runReport(run, content, tree, outputOf(run, turns))
    : { ...runReport(run, content, tree), content: null, content_link: link };
}
