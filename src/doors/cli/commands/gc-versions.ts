import { ConfigError } from '../../../errors.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import type { GcOptions } from './gc.ts';

/**
 * `cadre gc --env <environment> --versions`: removes the versions of deployed functions that no execution needs.
 * @returns the exit code
 */
export async function gcVersions(
  name: string | undefined,
  { env, all, model, dryRun = false }: GcOptions,
  io: RunIo,
): Promise<number> {
  if (env === undefined)
    throw new ConfigError('--versions works in a deployed environment only; name it with --env');
  if (name !== undefined || all || model !== undefined) {
    throw new ConfigError('--versions removes versions of functions; omit the agent, --all and --model');
  }
  const { forgetUnusedGrants, removeUnusedVersions } = await import('../../../places/aws/cloud-versions.ts');
  for (const { name: handler, removed, kept } of await removeUnusedVersions(env, {
    dryRun,
    now: Date.now(),
  })) {
    const deed = dryRun ? 'would be removed' : 'removed';
    io.stdout(`${handler}: ${removed.join(', ') || 'none'} ${deed}, ${kept.join(', ') || 'none'} kept\n`);
  }
  const forgotten = await forgetUnusedGrants(env, io.cwd, { dryRun, now: Date.now() });
  if (forgotten.length > 0) {
    const deed = dryRun ? 'would be forgotten' : 'forgotten: the next deployment takes them away';
    io.stdout(`grants: ${forgotten.join(', ')} ${deed}\n`);
  }
  const { findDeployment } = await import('../../../places/aws/cloud-deployment.ts');
  if ((await findDeployment(env)).rollout !== undefined) {
    const [{ cloudRollout }, { wayToEnd }] = await Promise.all([
      import('../../../places/aws/cloud-rollout.ts'),
      import('./rollout.ts'),
    ]);
    for (const hint of wayToEnd(await cloudRollout(env))) io.stdout(`agents: ${hint}\n`);
  }
  return EXIT.success;
}
