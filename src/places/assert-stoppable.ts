import { envOption } from '../env-option.ts';
import { ConfigError } from '../errors.ts';
import type { Executions } from '../core/machine/executions.ts';
import { isExpress } from '../core/machine/express.ts';
import { isRedriven } from '../core/lifecycle/redriven.ts';
import { isIn, OPEN, phaseOf } from '../core/records/phase.ts';
import type { Run } from '../core/records/run.ts';
import { EndedError } from './environment-errors.ts';

/**
 * @param environment its name, where it is deployed
 * @throws {EndedError} if the run has ended
 * @throws {ConfigError} if it is an idle fork, which nothing carries, or in an Express execution, which may continue in
 *   another one after it is stopped
 */
export async function assertStoppable(
  run: Run,
  executions: Pick<Executions, 'isRunning'>,
  environment?: string,
): Promise<void> {
  if (!isIn(OPEN, run) && !(await isRedriven(run, executions))) throw new EndedError(run);
  const at = envOption(environment);
  const kill = `end it for good with: cadre kill ${run.id}${at}`;
  if (isExpress(run.execution)) {
    throw new ConfigError(
      `"${run.id}" runs in an Express execution, which cannot be stopped alone; stop its caller with: cadre stop ${run.parent?.run ?? run.root}${at}, or ${kill}`,
    );
  }
  if (phaseOf(run) !== 'idle') return;
  throw new ConfigError(`"${run.id}" is idle, so there is nothing to stop; ${kill}`);
}
