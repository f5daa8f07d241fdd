import type { RunEvent } from '../events/event.ts';
import { isKept, traceContextOf } from './trace-context.ts';
import { callSpans } from './call-spans.ts';
import { executionSpans } from './execution-spans.ts';
import type { TraceReader, TraceSpan } from './trace-span.ts';
import { turnSpan } from './turn-span.ts';

/** A record that ends spans: a turn, or the end of an execution. */
export type Recorded = { run: string; turn: number } | { run: string; isOver: true };

export interface RecordedOptions {
  /** As in `TraceOptions`. */
  content: boolean;
  /** The share of traces that are kept, from 0 to 1. */
  ratio: number;
}

/** The record that an event is about, if it ends any span. */
export function recordedIn(event: RunEvent): Recorded | undefined {
  if (event.type === 'turn_finished') return { run: event.run, turn: event.turn };
  return event.type === 'run_closed' ? { run: event.run, isOver: true } : undefined;
}

/**
 * The spans that have ended with it: the turn's own with those of the calls before it, or those of an execution with
 * its last calls. Repeated calls give the same spans; an item that is gone has none.
 */
export async function recordedSpans(
  recorded: Recorded,
  records: TraceReader,
  { content, ratio }: RecordedOptions,
): Promise<TraceSpan[]> {
  const run = await records.run(recorded.run);
  const top = run && (run.root === run.id ? run : await records.run(run.root));
  if (run === undefined || top === undefined) return [];
  const context = traceContextOf(top);
  if (!isKept(context, ratio)) return [];
  const options = { context, content };
  if ('turn' in recorded) {
    const [turn, before] = await Promise.all([
      records.turn(run.id, recorded.turn),
      records.turn(run.id, recorded.turn - 1),
    ]);
    if (turn === undefined) return [];
    return [
      await turnSpan(run, turn, records, options),
      ...(before === undefined ? [] : await callSpans(run, before, turn, records, options)),
    ];
  }
  const turns = await records.turns(run.id);
  const last = turns.at(-1);
  return [
    ...(last === undefined ? [] : await callSpans(run, last, undefined, records, options)),
    // Earlier ones were told of when they ended.
    ...executionSpans(run, turns, options).slice(-1),
  ];
}
