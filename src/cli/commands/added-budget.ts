import type { Pipeline } from '../../pipeline/pipeline.ts';

/** What a command adds to the budget of a tree that goes on. */
export interface AddedBudget {
  maxTokens?: number;
  maxUsd?: number;
}

/** @throws {ConfigError} if the tree has no such limit */
export async function addBudget(
  root: string,
  { maxTokens, maxUsd }: AddedBudget,
  by: string | undefined,
  pipeline: Pick<Pipeline, 'addBudget'>,
): Promise<void> {
  const more = {
    ...(maxTokens !== undefined && { tokens: maxTokens }),
    ...(maxUsd !== undefined && { nanoUsd: Math.round(maxUsd * 1e9) }),
  };
  if (Object.keys(more).length > 0) await pipeline.addBudget(root, more, by);
}
