import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import { SPAN_WORDS } from '../../../core/reports/words/span-words.ts';
import { duration } from '../shared/figures.ts';

export type TimesByKind = NonNullable<RunOverview['times']>;
export type TimeKind = keyof TimesByKind;

/** The kinds of time, in the order in which they are shown. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record has all of them and nothing else
export const KINDS = Object.keys(SPAN_WORDS) as readonly TimeKind[];

/** A stretch of time, in milliseconds since 1970; of an unknown kind where the server does not tell. */
export interface Stretch {
  kind: TimeKind | 'unknown';
  from: number;
  to: number;
}

/** The life of a run so far. @param now where a stretch ends that goes on */
export function stretchesOf(
  { started_at: startedAt, ended_at: endedAt, spans }: RunOverview,
  now: number,
): Stretch[] {
  let at = Date.parse(startedAt);
  if (spans === undefined) {
    return [{ kind: 'unknown', from: at, to: endedAt === null ? Math.max(at, now) : Date.parse(endedAt) }];
  }
  return spans.map(([kind, milliseconds]) => {
    const from = at;
    at = milliseconds === null ? Math.max(from, now) : from + milliseconds;
    return { kind, from, to: at };
  });
}

/** Its times, with what goes on at this moment; undefined where the server does not tell. */
export function timesUntil(
  { times, spans = [], started_at: startedAt }: RunOverview,
  now: number,
): TimesByKind | undefined {
  if (times === undefined) return undefined;
  const [kind, milliseconds] = spans.at(-1) ?? [];
  if (kind === undefined || milliseconds !== null) return times;
  const since = Object.values(times).reduce((sum, each) => sum + each, Date.parse(startedAt));
  return { ...times, [kind]: times[kind] + Math.max(0, now - since) };
}

/** How long it worked without the runs below it, in milliseconds. */
export function ownTime(run: RunOverview, now: number): number {
  return elapsed(run, now) - (timesUntil(run, now)?.agents ?? 0);
}

/** `its model 12 s, tools 3.0 s`: what it spent its time on, most of all first. */
export function timesText(times: TimesByKind): string {
  return spent(times)
    .map(([kind, milliseconds]) => `${SPAN_WORDS[kind]} ${duration(milliseconds)}`)
    .join(', ');
}

/** The kinds that there are any milliseconds of, the longest first. */
export function spent(times: TimesByKind): [kind: TimeKind, milliseconds: number][] {
  return KINDS.map((kind): [TimeKind, number] => [kind, times[kind]])
    .filter(([, milliseconds]) => milliseconds > 0)
    .toSorted(([, one], [, other]) => other - one);
}
