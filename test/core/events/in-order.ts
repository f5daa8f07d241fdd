import { isLive } from '../../../src/core/events/live.ts';
import type { TreeEvent } from '../../../src/core/events/tree-event.ts';
import { callName } from '../../../src/core/records/call.ts';

/** The events of each run, and those of each of its calls, in order, without the pieces of answers. */
export function inOrder(events: readonly TreeEvent[]): Record<string, TreeEvent[]> {
  const told: Record<string, TreeEvent[]> = {};
  for (const { at, event } of events) {
    if (event.type === 'message_delta') continue;
    const of = 'call' in event ? `${event.run} ${callName(event)}` : event.run;
    (told[of] ??= []).push({ at, event });
  }
  return told;
}

/**
 * Of what was told several times, what records keep: the first opening of a run, and the last of everything else. When a
 * turn began is kept with its answer alone, and a turn that was broken off may have begun before.
 */
export function asKept(events: readonly TreeEvent[]): TreeEvent[] {
  const isFirst = ({ type }: TreeEvent['event']) => type === 'run_opened' || type === 'question_asked';
  const nameOf = ({ event }: TreeEvent) => {
    const { run, type } = event;
    return `${run} ${type} ${'turn' in event ? event.turn : ''} ${'call' in event ? event.call : ''}`;
  };
  const chosen = new Map<string, TreeEvent>();
  for (const told of events) {
    const name = nameOf(told);
    if (!isFirst(told.event) || !chosen.has(name)) chosen.set(name, told);
  }
  const kept = events.filter((told) => !isLive(told.event) && chosen.get(nameOf(told)) === told);
  return kept.map((told) => (told.event.type === 'turn_started' ? { ...told, at: 0 } : told));
}
