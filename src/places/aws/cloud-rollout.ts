import { ConfigError } from '../../errors.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { readShare, setShare, type RolloutState } from '../store/rollout-share.ts';
import { findDeployment } from './cloud-deployment.ts';
import { openCloudStore } from './store/cloud-store.ts';

/**
 * The state of the rollout of a deployed environment, found with the caller's own credentials.
 * @param change the share of new trees that get the next pack from now on, and who wants it; absent: no change
 * @throws {ConfigError} if there is no such environment, or no rollout in it
 */
export async function cloudRollout(
  environment: string,
  change?: { next: number; by: string },
): Promise<RolloutState> {
  const deployment = await findDeployment(environment);
  const { region, tableName, bucketName: bucket, keepDays, rollout } = deployment;
  if (rollout === undefined) {
    throw new ConfigError(
      `environment "${environment}" has one pack of agents; for a second one, set "rollout": {"next": 0.1, "folder": "agents-next"} of this environment in cdk.json, and deploy`,
    );
  }
  const { runs, table, lasting } = openCloudStore({ tableName, bucket, keepDays, region });
  if (change !== undefined) {
    await setShare(lasting, { rollout: rollout.id, ...change, at: new Date().toISOString() });
  }
  const [set, trees] = await Promise.all([readShare(table, rollout.id), openTrees(await runs.openTrees())]);
  const share = set?.next ?? rollout.share;
  const inNext = trees.filter((pack) => pack === rollout.next).length;
  return {
    // Without the hair that is left of 1 - 0.9.
    current: { pack: rollout.current, share: Number((1 - share).toFixed(9)), trees: trees.length - inNext },
    next: { pack: rollout.next, share, trees: inNext },
    ...(set !== undefined && { set: { by: set.by, at: set.at } }),
  };
}

/** The packs of all trees with a run under way; undefined for those from a time when there was only one. */
async function openTrees(trees: AsyncIterable<Run[]>): Promise<(string | undefined)[]> {
  const packs: (string | undefined)[] = [];
  for await (const tree of trees) {
    if (tree.some((run) => isIn(UNDER_WAY, run)))
      packs.push(tree.find(({ parent }) => parent === undefined)?.pack);
  }
  return packs;
}
