import type { Scene } from './draw.ts';
import { AGENTS } from './scenes/agents.ts';
import { COMPARE } from './scenes/compare.ts';
import { DIALOGS } from './scenes/dialogs.ts';
import { FRAME } from './scenes/frame.ts';
import { HOME } from './scenes/home.ts';
import { RUN } from './scenes/run.ts';
import { RUNS } from './scenes/runs.ts';

/** Every state of every view, by the name of its pictures. */
export const SCENES: Readonly<Record<string, Scene>> = {
  ...HOME,
  ...RUNS,
  ...RUN,
  ...AGENTS,
  ...COMPARE,
  ...DIALOGS,
  ...FRAME,
};
