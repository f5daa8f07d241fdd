import { isRunId } from '../../core/records/run-id.ts';
import type { Recorded } from '../../core/telemetry/recorded-spans.ts';

/** A key of a turn, or of the light record of a run, which is written anew when the run ends. */
const TURN = /^run#(.+) turn#(?:a0*)?(\d+)$/;
const RECORD = /^tree#\S+ run#(.+)$/;

/** How the sort keys of such items begin. */
export const RECORDED_SORTS = ['turn#', 'run#'] as const;

/** What the item with this key says of a run, if it is one of these. */
export function recordedAt(partition: string, sort: string): Recorded | undefined {
  const key = `${partition} ${sort}`;
  const [, of = '', number] = TURN.exec(key) ?? [];
  if (isRunId(of)) return { run: of, turn: Number(number) };
  const [, run = ''] = RECORD.exec(key) ?? [];
  return isRunId(run) ? { run, isOver: true } : undefined;
}
