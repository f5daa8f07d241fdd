import { messageOf } from '../../errors.ts';
import type { Rig } from './rig.ts';
import { Play, type Observed } from './play.ts';
import type { Scenario } from './scenarios.ts';

/** How one scenario went in an environment, compared with the interpreter. */
export interface ScenarioVerdict {
  scenario: string;
  /** The ids of the runs that it started in the environment, which can be looked up there. */
  runs: readonly string[];
  /** How the last of them ended; "" where none has. */
  status: string;
  /** In the environment: executions, events of their histories, and states entered, which are charged. */
  executions: number;
  events: number;
  transitions: number;
  seconds: number;
  differences: Deviation[];
  /** Why it was not played; absent where it was. */
  leftOut?: string;
}

/** The first difference in a run or in a branch of an execution. */
export interface Deviation {
  /** `execution slow-t1c2`, `run slow-t1c2`, `answer` … */
  where: string;
  /** Which line of it, from 1: the number of an event in its branch. */
  line: number;
  expected: string;
  actual: string;
}

/**
 * How long a scenario may take: one has an agent whose answer takes 200 seconds, perhaps twice, and a schedule takes up
 * to a minute and a half to begin.
 */
const SCENARIO_MS = 480_000;

/**
 * Plays a scenario in an environment and, at the same time, in the interpreter, and compares the observations.
 * Everything that it started has ended, or is stopped, when this returns.
 * @param signal ends it early
 * @throws the signal's reason; and failures of the interpreter itself
 */
export async function verify(
  scenario: string,
  { play, asks }: Scenario,
  rigs: { actual: Rig; expected: Rig },
  signal: AbortSignal,
): Promise<ScenarioVerdict> {
  const began = performance.now();
  const { whyNoRequests } = rigs.actual;
  // Kept in a variable for as long as it is needed: `AbortSignal.any` on Node.js 20 does not keep it alive.
  const limit = AbortSignal.timeout(SCENARIO_MS);
  const playing = AbortSignal.any([signal, limit]);
  const actual = new Play(rigs.actual, playing);
  const expected = new Play(rigs.expected, playing);
  const verdict = (differences: Deviation[]): ScenarioVerdict => ({
    scenario,
    runs: actual.runs,
    status: actual.status,
    ...actual.counts,
    seconds: (performance.now() - began) / 1000,
    differences,
  });
  if (asks && whyNoRequests !== undefined) return { ...verdict([]), leftOut: whyNoRequests };
  try {
    const [there, here] = await Promise.allSettled([play(actual), play(expected)]);
    signal.throwIfAborted();
    if (there.status === 'rejected') {
      const reason = limit.aborted ? `no end within ${SCENARIO_MS / 1000} s` : messageOf(there.reason);
      return verdict([{ where: 'scenario', line: 1, expected: 'it ends', actual: reason }]);
    }
    if (here.status === 'rejected') throw here.reason;
    return verdict(differencesOf(expected.observed, actual.observed));
  } finally {
    await Promise.all([actual, expected].map((each) => each.stop('cadre verify is over')));
  }
}

const NOTHING = 'nothing';

function differencesOf(expected: Observed, actual: Observed): Deviation[] {
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((where) => {
    const [wanted = [], got = []] = [expected.get(where), actual.get(where)];
    const length = Math.max(wanted.length, got.length);
    const index = Array.from({ length }, (_, line) => line).find((line) => wanted[line] !== got[line]);
    if (index === undefined) return [];
    return [{ where, line: index + 1, expected: wanted[index] ?? NOTHING, actual: got[index] ?? NOTHING }];
  });
}
