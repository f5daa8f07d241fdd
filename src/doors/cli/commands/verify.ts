import { type Seconds, toMillis } from '../../../core/records/times.ts';
import { ConfigError } from '../../../errors.ts';
import { openInterpreterRig } from '../../../authoring/verify/interpreter-rig.ts';
import { SCENARIOS, type Scenario } from '../../../authoring/verify/scenarios.ts';
import { verify, type ScenarioVerdict } from '../../../authoring/verify/verify.ts';
import { serveToHolder } from '../../api/serve-to-holder.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { jsonLine } from '../terminal/printable.ts';
import { closingLine, toReport, verdictsText } from '../terminal/verdicts-text.ts';

export interface VerifyOptions {
  /** A deployed environment. */
  env: string;
  /** One of `SCENARIOS`; absent: all of them. */
  scenario?: string;
  /** Seconds for all of it. */
  timeout: Seconds;
  json?: boolean;
}

/**
 * `cadre verify --env <environment>`: plays scenarios in a deployed environment and in the interpreter, and prints the
 * differences.
 * @returns the exit code: 1 where anything differs
 * @throws {ConfigError} if there is no such scenario, or the environment has no agents for it
 */
export async function verifyEnvironment(
  { env, scenario, timeout, json = false }: VerifyOptions,
  io: RunIo,
): Promise<number> {
  const chosen = scenariosNamed(scenario);
  // Held for as long as it is needed: `AbortSignal.any` on Node.js 20 does not hold it.
  const limit = AbortSignal.timeout(toMillis(timeout));
  const signal = AbortSignal.any([io.interrupted, limit]);
  const { openCloudRig } = await import('../../../authoring/verify/cloud-rig.ts');
  const actual = await openCloudRig(env);
  const expected = await openInterpreterRig(serveToHolder);
  const verdicts: ScenarioVerdict[] = [];
  try {
    for (const [name, each] of chosen) {
      io.stderr(`${name}: ${each.about}\n`);
      verdicts.push(await verify(name, each, { actual, expected }, signal));
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    const reason = limit.aborted ? `not done within ${timeout}s (--timeout)` : 'interrupted by the user';
    io.stderr(`Error: ${reason}; what was still running is stopped\n`);
    return limit.aborted ? EXIT.agent : EXIT.interrupted;
  } finally {
    await expected.close();
    await actual.close();
  }
  const report = toReport(env, verdicts);
  if (json) io.stdout(`${jsonLine(report)}\n`);
  else io.stdout(verdictsText(verdicts));
  io.stderr(`${closingLine(env, verdicts)}\n`);
  return report.same ? EXIT.success : EXIT.agent;
}

function scenariosNamed(name: string | undefined): [string, Scenario][] {
  const all = Object.entries(SCENARIOS);
  const chosen = all.filter(([known, { isAttended }]) =>
    name === undefined ? isAttended !== true : name === known,
  );
  if (chosen.length > 0) return chosen;
  throw new ConfigError(
    `unknown scenario ${JSON.stringify(name)}: expected one of ${Object.keys(SCENARIOS).join(', ')}`,
  );
}
