// Records keep plain numbers; these types say which ones must not be mixed up, and only this file turns one into another.

declare const unit: unique symbol;

/** A duration in seconds, as people and agents' files give it. No other number is one, but zero is zero in every unit. */
export type Seconds = 0 | (number & { readonly [unit]: 'seconds' });

/** A duration in milliseconds; the same applies. */
export type Millis = 0 | (number & { readonly [unit]: 'milliseconds' });

/** A moment: milliseconds since 1970, as clocks and people see it. Any plain number may be one, but no other unit is. */
export type Instant = number & { readonly [unit]?: 'instant' };

/**
 * A moment by the clock of a tree, which stands still while an agent waits for a person: the milliseconds since 1970,
 * less those for which it has stood still. Deadlines are such moments, and never change. No plain number is one.
 */
export type TreeInstant = number & { readonly [unit]: 'tree' };

/** A duration in seconds: `seconds(30)`. */
export function seconds(count: number): Seconds {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is no other way to make one
  return count as Seconds;
}

/** A duration in milliseconds: `millis(500)`. */
export function millis(count: number): Millis {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is no other way to make one
  return count as Millis;
}

/** A moment by the clock of its tree, as a record or an input has it. */
export function treeInstant(milliseconds: number): TreeInstant {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is no other way to make one
  return milliseconds as TreeInstant;
}

/** @param paused how long the clock of the tree has stood still by then */
export function onTreeClock(at: Instant, paused: Millis): TreeInstant {
  return treeInstant(at - paused);
}

/** @param paused how long the clock of the tree will have stood still by then, as far as is known */
export function offTreeClock(at: TreeInstant, paused: Millis): Instant {
  return at + paused;
}

/** The moment so much later by the clock of a tree. */
export function later(at: TreeInstant, by: Millis): TreeInstant {
  return treeInstant(at + by);
}

/** How long it is from now to a moment, by the same clock; negative once it is past. */
export function timeUntil(at: TreeInstant, now: TreeInstant): Millis {
  return millis(at - now);
}

/** How long it is from one moment to a later one. */
export function timeBetween(from: Instant, to: Instant): Millis {
  return millis(to - from);
}

/** The longer of two durations. */
export function longer<D extends Seconds | Millis>(one: D, other: D): D {
  return one > other ? one : other;
}

/** The shortest of durations. */
export function shortest<D extends Seconds | Millis>(...durations: [D, ...D[]]): D {
  return durations.reduce((one, other) => (other < one ? other : one));
}

/** The earliest of moments by the clock of a tree. */
export function earliest(first: TreeInstant, ...others: TreeInstant[]): TreeInstant {
  return treeInstant(Math.min(first, ...others));
}

/** The latest of moments by the clock of a tree. */
export function latest(first: TreeInstant, ...others: TreeInstant[]): TreeInstant {
  return treeInstant(Math.max(first, ...others));
}

/** Calls back once, after so long; the returned function cancels it. */
export type After = (milliseconds: Millis, callback: () => void) => () => void;

/** The longest that a timer of Node.js can wait, 24 days; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** By the time of this machine, and after 24 days at the latest. */
export const systemAfter: After = (milliseconds, callback) => {
  const timer = setTimeout(callback, Math.min(Math.ceil(milliseconds), LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
};

/** A duration in milliseconds. */
export function toMillis(duration: Seconds): Millis {
  return millis(1000 * duration);
}

/** A duration in whole seconds, at least 1: what Step Functions takes as a timeout. */
export function toTimeout(duration: Millis): Seconds {
  return seconds(Math.max(1, Math.ceil(duration / 1000)));
}
