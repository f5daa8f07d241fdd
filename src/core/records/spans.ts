import type { Instant } from './times.ts';

/**
 * How a run spends a stretch of its time. `own`: on work of its own, such as reading its conversation; `gap`: on
 * nothing, because no execution carried it; `idle`: it has answered, and rests. All others are waits.
 */
export const SPAN_KINDS = ['own', 'model', 'tool', 'agents', 'messages', 'person', 'idle', 'gap'] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** A stretch of time, in milliseconds; each begins where the one before it ends. */
export type Span = [kind: SpanKind, milliseconds: number];

/** Milliseconds of each kind. */
export type Times = Record<SpanKind, number>;

/** A time during which something went on; several may go on at once. */
export interface Interval {
  kind: SpanKind;
  from: Instant;
  to: Instant;
}

/** Of several things that go on at once, the first in this list says what the time is spent on. */
const RANK: readonly SpanKind[] = ['gap', 'idle', 'model', 'tool', 'agents', 'person', 'messages'];

/** How many spans of a run are kept and shown: a tree may have thousands of runs. */
export const MAX_SPANS = 24;

/** Parts the time between two moments: without a hole, and with `own` where nothing else goes on. */
export function toSpans(intervals: readonly Interval[], start: Instant, end: Instant): Span[] {
  const clip = (at: Instant) => Math.round(Math.min(Math.max(at, start), end));
  const edges = intervals
    .flatMap(({ kind, from, to }) => {
      const [begins, ends] = [clip(from), clip(to)];
      if (begins >= ends) return [];
      return [
        { at: begins, kind, change: 1 },
        { at: ends, kind, change: -1 },
      ];
    })
    .toSorted((one, other) => one.at - other.at);
  const open = new Map<SpanKind, number>();
  const spans: Span[] = [];
  let at = Math.round(start);
  for (const edge of [...edges, { at: Math.round(end), kind: 'own' as const, change: 0 }]) {
    append(spans, [RANK.find((kind) => (open.get(kind) ?? 0) > 0) ?? 'own', edge.at - at]);
    open.set(edge.kind, (open.get(edge.kind) ?? 0) + edge.change);
    at = Math.max(at, edge.at);
  }
  return spans;
}

/** Adds up spans by their kinds. */
export function timesOf(spans: readonly Span[]): Times {
  const times: Times = { own: 0, model: 0, tool: 0, agents: 0, messages: 0, person: 0, idle: 0, gap: 0 };
  for (const [kind, milliseconds] of spans) times[kind] += milliseconds;
  return times;
}

/**
 * The same time in fewer spans: short ones join their neighbours, and what most of a stretch was spent on stands for
 * all of it.
 * @param most how many may be left
 */
export function coarser(spans: Span[], most: number): Span[] {
  const whole = spans.reduce((sum, [, milliseconds]) => sum + milliseconds, 0);
  // When none is shorter than that, there cannot be more than so many.
  const longest = Math.ceil(whole / most);
  let fewer = spans;
  for (let shortest = longest / 64; fewer.length > most; shortest *= 2) {
    fewer = joined(spans, Math.min(shortest, longest));
  }
  return fewer;
}

function joined(spans: readonly Span[], shortest: number): Span[] {
  const result: Span[] = [];
  let group: Span[] = [];
  let length = 0;
  const close = () => {
    const [kind] = Object.entries(timesOf(group)).reduce((one, other) => (other[1] > one[1] ? other : one));
    const last = result.at(-1);
    if (length < shortest && last !== undefined) last[1] += length;
    else append(result, [SPAN_KINDS.find((each) => each === kind) ?? 'own', length]);
    [group, length] = [[], 0];
  };
  for (const span of spans) {
    if (group.length > 0 && span[1] >= shortest) close();
    group.push(span);
    length += span[1];
    if (length >= shortest) close();
  }
  if (group.length > 0) close();
  return result;
}

function append(spans: Span[], [kind, milliseconds]: Span): void {
  const last = spans.at(-1);
  if (milliseconds <= 0) return;
  if (last?.[0] === kind) last[1] += milliseconds;
  else spans.push([kind, milliseconds]);
}
