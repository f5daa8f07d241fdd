// Records keep plain numbers; these types say which ones must not be mixed up, and only this file turns one into another.

declare const unit: unique symbol;

/** A duration in seconds, as people and agents' files give it. */
export type Seconds = number & { readonly [unit]?: 'seconds' };

/** A duration in milliseconds. */
export type Millis = number & { readonly [unit]?: 'milliseconds' };

/** A moment: milliseconds since 1970, as clocks and people see it. */
export type Instant = number & { readonly [unit]?: 'instant' };

/**
 * A moment by the clock of a tree, which stands still while an agent waits for a person: the milliseconds since 1970,
 * less those for which it has stood still. Deadlines are such moments, and never change. No plain number is one.
 */
export type TreeInstant = number & { readonly [unit]: 'tree' };

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
  return at - now;
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
export function toMillis(seconds: Seconds): Millis {
  return 1000 * seconds;
}

/** A duration in whole seconds, at least 1: what Step Functions takes as a timeout. */
export function toTimeout(milliseconds: Millis): Seconds {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
