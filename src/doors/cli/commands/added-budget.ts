import type { Pipeline } from '../../../places/pipeline.ts';
import { toAllowance, type AskedLimits } from '../../../places/run-request.ts';

/** Adds what a command's options say to the budget of a tree. @throws {ConfigError} if the tree has no such limit */
export async function addBudget(
  root: string,
  limits: AskedLimits,
  by: string | undefined,
  pipeline: Pick<Pipeline, 'addBudget'>,
): Promise<void> {
  const more = toAllowance(limits);
  if (Object.keys(more).length > 0) await pipeline.addBudget(root, more, by);
}
