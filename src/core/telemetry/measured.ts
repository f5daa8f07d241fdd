import { defined } from '../../defined.ts';
import type { RunEvent } from '../events/event.ts';
import { ENDED, isIn } from '../records/phase.ts';
import type { RunReads } from '../records/ports.ts';
import { durationOf, type Run, type Usage } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import { usageOf } from '../records/turn.ts';
import type { Recorded } from './recorded-spans.ts';

/** What metrics count: a turn that was made, or a run that has ended. */
export type Measured = Pick<Run, 'agent' | 'model' | 'pack'> &
  ({ turn: { latencyMs: number; usage: Usage } } | { end: { status: Run['status']; durationMs: number } });

/** What an event says of it, if anything. */
export function measuredIn(event: RunEvent): Measured | undefined {
  const { agent, model } = event;
  if (event.type === 'turn_finished') {
    const { latencyMs, usage } = event;
    return { agent, model, turn: { latencyMs, usage } };
  }
  if (event.type !== 'run_closed') return undefined;
  const { status, durationMs } = event;
  return { agent, model, end: { status, durationMs } };
}

/** A run's record may be written again after its end, but hardly ever soon: an end is measured when it is written. */
const NEW_MS = 60_000;

/**
 * The same of what was written down.
 * @param at when it was
 */
export async function measuredAt(
  recorded: Recorded,
  at: Instant,
  records: Pick<RunReads, 'run' | 'turn'>,
): Promise<Measured | undefined> {
  const run = await records.run(recorded.run);
  if (run === undefined) return undefined;
  const { agent, model, pack, status, startedAt, endedAt } = run;
  const of = { agent, model, ...defined({ pack }) };
  if ('turn' in recorded) {
    const turn = await records.turn(run.id, recorded.turn);
    return turn && { ...of, turn: { latencyMs: turn.latencyMs, usage: usageOf([turn]) } };
  }
  if (!isIn(ENDED, run) || endedAt === undefined || at - Date.parse(endedAt) > NEW_MS) return undefined;
  return { ...of, end: { status, durationMs: durationOf(run, Date.parse(startedAt)) } };
}
