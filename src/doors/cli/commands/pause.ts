import { AgentError } from '../../../errors.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';

/**
 * `cadre pause`: stops everything in a deployed environment without ending it.
 * @returns the exit code
 */
export async function pause(env: string, reason: string | undefined, io: RunIo): Promise<number> {
  const at = new Date().toISOString();
  const release = `cadre unpause --env ${env}`;
  const { setCloudPause } = await import('../../../places/aws/cloud-pause.ts');
  const before = await setCloudPause(env, {
    at,
    by: io.user ?? 'somebody',
    ...(reason !== undefined && { reason }),
    release,
  });
  if (before === undefined) {
    io.stderr(
      `environment "${env}" is paused: nothing is started, and turns under way are the last; go on with: ${release}\n`,
    );
  } else {
    io.stderr(
      `environment "${env}" is already paused, by ${before.by} since ${before.at}; go on with: ${before.release}\n`,
    );
  }
  return EXIT.success;
}

/**
 * `cadre unpause`: has an environment go on where it stood.
 * @returns the exit code
 */
export async function unpause(env: string, io: RunIo): Promise<number> {
  const { setCloudPause } = await import('../../../places/aws/cloud-pause.ts');
  const before = await setCloudPause(env, undefined);
  if (before === undefined) throw new AgentError(`environment "${env}" is not paused`);
  io.stderr(
    `environment "${env}" goes on; it was paused by ${before.by} since ${before.at}; runs notice by themselves: within half a minute, or an eighth of that time if that is longer\n`,
  );
  return EXIT.success;
}
