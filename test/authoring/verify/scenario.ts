import { afterAll, beforeAll } from 'vitest';
import { openInterpreterRig } from '../../../src/authoring/verify/interpreter-rig.ts';
import type { Rig } from '../../../src/authoring/verify/rig.ts';
import { Play } from '../../../src/authoring/verify/play.ts';
import { SCENARIOS, type Scenario } from '../../../src/authoring/verify/scenarios.ts';
import { serveToHolder } from '../../../src/doors/api/serve-to-holder.ts';

export const never = new AbortController().signal;

/** The interpreter, as a rig for all tests of a file. */
export function interpreter(): { readonly rig: Rig } {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openInterpreterRig(serveToHolder);
  });
  afterAll(() => rig.close());
  return {
    get rig() {
      return rig;
    },
  };
}

export function scenario(name: string): Scenario {
  const found = SCENARIOS[name];
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found;
}

/** The observations of a scenario, which expects nothing itself: the status of each run, and how often one backed off. */
export async function shownBy(name: string, rig: Rig) {
  const play = new Play(rig, never);
  await scenario(name).play(play);
  const runs = [...play.observed].filter(([about]) => about.startsWith('run '));
  const lines = [...play.observed.values()].flat();
  return {
    statuses: Object.fromEntries(runs.map(([about, [status]]) => [about.slice('run '.length), status])),
    waits: lines.filter((line) => line === 'WaitStateEntered Back off').length,
  };
}
