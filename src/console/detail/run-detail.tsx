import type { SelectedRun } from '../selected-run.ts';

/** The selected run in place: its conversation, its tool calls and their results. */
export function RunDetail({ run }: SelectedRun) {
  return <h2>{run.agent}</h2>;
}
