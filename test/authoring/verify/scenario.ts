import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
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

/**
 * Holds all that scenarios show, with the events in the histories of their executions counted, to what was accepted: after
 * a change that is meant, `-u` writes it anew.
 */
export async function expectAccepted(names: readonly string[], rig: Rig): Promise<void> {
  const shown = await Promise.all(names.map(async (name) => [name, await outlineOf(name, rig)] as const));
  for (const [name, outline] of shown) {
    await expect(outline).toMatchFileSnapshot(join(import.meta.dirname, `accepted/${name}.txt`));
  }
}

async function outlineOf(name: string, rig: Rig): Promise<string> {
  const play = new Play(rig, never);
  await scenario(name).play(play);
  const { executions, events, transitions } = play.counts;
  const figures = `trees ${play.runs.length}, executions ${executions}, events ${events}, states ${transitions}`;
  const lines = [...play.observed].map(([about, seen]) =>
    about.startsWith('execution') ? about : `${about}: ${seen.join('; ')}`,
  );
  return `${[`ended as ${play.status}`, figures, ...lines.sort()].join('\n')}\n`;
}
