import type { Instant } from './times.ts';

/** The emergency brake of a place: while it is on, nothing is started and no model is asked. */
export interface Pause {
  /** ISO 8601, UTC. */
  at: string;
  /** Who paused it. */
  by: string;
  /** Absent where none was given. */
  reason?: string;
  /** How it is released, as a person types it. */
  release: string;
}

/** Who paused it, when and why, and how to continue: for callers that are refused. */
export function pauseText({ at, by, reason, release }: Pause): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return `paused by ${by} since ${at}${why}: nothing is started; go on with: ${release}`;
}

/** The first look comes soon, since the brake may have been pulled by mistake. */
const SHORTEST_LOOK_MS = 20_000;
/** Each look takes nine events of the 25,000 of a history: a pause of ten days takes less than a fifth of them. */
const LONGEST_LOOK_MS = 1_800_000;

/**
 * How long to wait before looking again whether a pause is over: a tenth of its length so far, within limits.
 * @param random from 0 up to 1, so that waiting runs do not all continue at the same moment
 */
export function untilNextLook({ at }: Pause, now: Instant, random: number): number {
  const tenth = (now - Date.parse(at)) / 10;
  return Math.min(Math.max(tenth, SHORTEST_LOOK_MS), LONGEST_LOOK_MS) * (0.75 + random / 2);
}
