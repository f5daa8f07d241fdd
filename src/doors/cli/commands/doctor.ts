import project from '../../../../package.json' with { type: 'json' };
import { checkMachine } from '../../../authoring/doctor/check-machine.ts';
import { checkAgentFiles, checkModels } from '../../../authoring/doctor/check-models.ts';
import type { Finding } from '../../../authoring/doctor/finding.ts';
import { localConfig, localSources } from '../../../authoring/loading/local-sources.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';

export interface DoctorOptions {
  /** A deployed environment; absent: this machine and folder. */
  env?: string;
  json?: boolean;
}

/**
 * `cadre doctor [--env <environment>]`: checks everything that can keep agents from running, and says what to do.
 * @returns the exit code: 1 if something is wrong
 */
export async function doctor({ env, json = false }: DoctorOptions, io: Io): Promise<number> {
  const sources = await localSources(io);
  const { finding: agents, models } = await checkAgentFiles(sources.source);
  const findings =
    env === undefined
      ? [
          ...(await checkMachine(io.cwd, {
            trusted: (await localConfig(io)).trusted,
            isTrusted: sources.trust.isTrusted(),
            perDay: sources.limits?.perDay ?? {},
          })),
          agents,
          ...(await checkModels(models, sources.models)),
        ]
      : await (
          await import('../../../authoring/doctor/cloud-checks.ts')
        ).checkEnvironment(env, { version: project.version, sources, models, now: Date.now() });
  if (json) io.stdout(`${jsonLine(findings)}\n`);
  else for (const finding of findings) io.stdout(`${lineOf(finding)}\n`);
  return findings.some(({ state }) => state === 'wrong') ? EXIT.agent : EXIT.success;
}

const SYMBOLS: Record<Finding['state'], string> = { ok: '✓', warning: '!', wrong: '✗' };

function lineOf({ what, state, found, advice }: Finding): string {
  return oneLine(`${SYMBOLS[state]} ${what}: ${found}${advice === undefined ? '' : ` → ${advice}`}`);
}
