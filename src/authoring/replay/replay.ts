import type { ContextPorts } from '../../core/agent-schema/context.ts';
import type { Difference } from './difference.ts';
import { createRecordedStore } from './recorded-store.ts';
import { askedAt, type RecordedRun, type Recording } from './recording.ts';
import { reopen } from './reopen.ts';
import { retakeTurn } from './retake-turn.ts';

/** The outcome of a replay. */
export interface Replayed {
  /** Runs and turns that were made again without a difference. */
  runs: number;
  turns: number;
  /** Runs that failed before they were opened, of which there is nothing to make again. */
  skipped: number;
  /** Absent: nothing is different. */
  difference?: Difference;
}

/**
 * Makes every turn of a recorded tree again, with the agents as they are now. Models, tools, people and other agents
 * say what they said then; each model's requests are compared, and the handling of its answers. The turns follow each
 * other as they did, each in the world as it was recorded, so that what several agents did at once cannot come in
 * another order.
 */
export async function replay(recording: Recording, context: ContextPorts): Promise<Replayed> {
  const world = createRecordedStore(recording);
  const opened = recording.runs.filter((recorded) => recorded.opened !== undefined);
  const done = { runs: 0, turns: 0, skipped: recording.runs.length - opened.length };
  for (const { recorded, turn } of stepsOf(opened)) {
    const difference =
      turn === undefined
        ? await reopen(recorded, recording, world, context)
        : await retakeTurn(recorded, turn, world);
    if (difference !== undefined) return { ...done, difference };
    if (turn === undefined) done.runs += 1;
    else done.turns += 1;
  }
  return done;
}

interface Step {
  recorded: RecordedRun;
  /** From 1; undefined where the run is opened. */
  turn: number | undefined;
}

/**
 * In order of time. Clocks of several machines may differ: no run does anything before it and its caller are opened.
 */
function stepsOf(runs: readonly RecordedRun[]): Step[] {
  const openedAt = new Map<string, number>();
  const steps = runs.flatMap((recorded): (Step & { time: number })[] => {
    const { run, turns } = recorded;
    let time = Math.max(Date.parse(run.startedAt), openedAt.get(run.parent?.run ?? '') ?? 0);
    openedAt.set(run.id, time);
    const made = turns.map((turn) => {
      time = Math.max(time, askedAt(turn));
      return { recorded, turn: turn.number, time };
    });
    return [{ recorded, turn: undefined, time: openedAt.get(run.id) ?? time }, ...made];
  });
  return steps.sort((one, other) => one.time - other.time);
}
