import { type Seconds, toMillis } from '../../../core/records/times.ts';
import { ConfigError } from '../../../errors.ts';
import { PRICES } from '../../../authoring/plan/prices.ts';
import { openInterpreterRig } from '../../../authoring/verify/interpreter-rig.ts';
import { SCENARIOS, type Scenario } from '../../../authoring/verify/scenarios.ts';
import { verify, type Deviation, type ScenarioVerdict } from '../../../authoring/verify/verify.ts';
import { serveToHolder } from '../../api/serve-to-holder.ts';
import { inColumns } from '../terminal/columns.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { count, counted } from '../../../counted.ts';
import { inDollars } from '../terminal/figures.ts';
import type { RunIo } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';

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
  const isSame = verdicts.every(({ differences }) => differences.length === 0);
  if (json) io.stdout(`${jsonLine(toReport(env, isSame, verdicts))}\n`);
  else io.stdout(`${toText(verdicts).join('\n')}\n`);
  io.stderr(`${closingLine(env, verdicts)}\n`);
  return isSame ? EXIT.success : EXIT.agent;
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

function toText(verdicts: readonly ScenarioVerdict[]): string[] {
  const column = (title: string, cell: (verdict: ScenarioVerdict) => string) => ({
    cells: [title, ...verdicts.map(cell)],
  });
  const figure = (title: string, cell: (verdict: ScenarioVerdict) => string) => ({
    ...column(title, cell),
    align: 'right' as const,
  });
  const table = inColumns([
    column('scenario', ({ scenario }) => scenario),
    column('ended as', ({ status }) => status || '-'),
    figure('executions', ({ executions }) => count(executions)),
    figure('events', ({ events }) => count(events)),
    figure('states', ({ transitions }) => count(transitions)),
    figure('seconds', ({ seconds }) => seconds.toFixed(1)),
    column('differs', ({ differences, leftOut }) =>
      leftOut === undefined ? differences.map(({ where }) => where).join(', ') || 'no' : 'left out',
    ),
  ]);
  const details = verdicts.flatMap(({ scenario, differences, leftOut }) => [
    ...(leftOut === undefined ? [] : [`${scenario} is left out: ${leftOut}`]),
    ...differences.map((difference) => `${scenario}: ${toSentence(difference)}`),
  ]);
  return details.length === 0 ? table : [...table, '', ...details];
}

function toSentence({ where, line, expected, actual }: Deviation): string {
  return oneLine(`${where}, line ${line}: the interpreter has "${expected}", the environment "${actual}"`);
}

/** Functions and the store cost a small part of the price of states. */
function closingLine(environment: string, verdicts: readonly ScenarioVerdict[]): string {
  const transitions = verdicts.reduce((total, verdict) => total + verdict.transitions, 0);
  const dollars = (transitions * PRICES.perMillion.transitions) / 1e6;
  const runs = verdicts.reduce((total, verdict) => total + verdict.runs.length, 0);
  const left = runs === 1 ? 'its run stays' : `its ${count(runs)} runs stay`;
  return `${counted(transitions, 'state')} entered, about ${inDollars(dollars)}; ${left} listed until expiry: cadre runs --env ${environment}`;
}

function toReport(environment: string, isSame: boolean, verdicts: readonly ScenarioVerdict[]) {
  return {
    environment,
    same: isSame,
    scenarios: verdicts.map(({ leftOut, ...verdict }) => ({
      ...verdict,
      seconds: Number(verdict.seconds.toFixed(1)),
      ...(leftOut !== undefined && { left_out: leftOut }),
    })),
  };
}
