import type { SelectedRun } from '../selected-run.ts';

/** What can be done with a run: stop, kill, resume, write to it. Shown above its conversation. */
export function RunActions(_: SelectedRun) {
  return null;
}
