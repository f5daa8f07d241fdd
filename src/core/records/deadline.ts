import { ModelError } from '../../errors.ts';

/**
 * Time limits are absolute deadlines, and inherited: that of the top binds everything below it. A sub-agent's deadline
 * is a margin ahead of its parent's, so that the parent can still answer with what it got.
 */

/** Seconds for a run if neither its caller nor its agent sets any. */
export const DEFAULT_TIMEOUT = 120;

/** Seconds: an execution of the machine lasts one year at most. */
export const LONGEST_TIMEOUT = 31_536_000;

/** The parent keeps a tenth of the rest, at most this. */
const MAX_MARGIN_MS = 10_000;

/** When the sub-agents of a turn must be done, whenever each of them starts, in milliseconds since 1970. */
export function childDeadline(now: number, parentDeadline: number): number {
  const left = Math.max(0, parentDeadline - now);
  return parentDeadline - Math.min(MAX_MARGIN_MS, Math.floor(left / 10));
}

/** The deadline of a run that starts now: the inherited one, or the earliest by these limits in seconds (0: none). */
export function ownDeadline(now: number, inherited: number, ...limits: number[]): number {
  return Math.min(inherited, ...limits.filter((limit) => limit > 0).map((limit) => now + limit * 1000));
}

/** Whole seconds until the deadline, at least 1: what Step Functions takes as a timeout. */
export function secondsUntil(deadline: number, now: number): number {
  return Math.max(1, Math.ceil((deadline - now) / 1000));
}

export interface TimeAllowed {
  /** Milliseconds since 1970. */
  deadline: number;
  /** Seconds that the run had in all, for the message. */
  seconds: number;
  now: number;
  /** Milliseconds that are left after all once the deadline has come: the tree's clock may have stood still. */
  left?: () => Promise<number>;
}

function lateness(seconds: number | string): string {
  return `no answer within the ${seconds}s that the run was given`;
}

const LATE = new RegExp(`^timeout: ${lateness('\\d+')}$`);

/** Whether a run failed because its own time was up; a model's API may time out earlier by itself. */
export function isLate(message: string): boolean {
  return LATE.test(message);
}

/** A duration for people: `1.2s`. */
export function toSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)}s`;
}

/** How a run ended of which nothing was heard for too long, in words. */
export function quietText(seconds: number | string): string {
  return `${seconds}s without a sign of life`;
}

const QUIET = new RegExp(`^timeout: ${quietText('\\d+')}$`);

/** Whether a run failed because nothing was heard of it. */
export function isQuiet(message: string): boolean {
  return QUIET.test(message);
}

/**
 * While an agent waits for a person, the rest stays the same, however little: it need not be asked for all the time.
 */
const SHORTEST_EXTENSION_MS = 500;

/** The longest that a timer of Node.js can wait, 24 days; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Begins work with a signal that is aborted at the deadline or with `outer`, and puts the deadline into words.
 * @throws {ModelError} of category `timeout` if the deadline came first
 */
export async function untilDeadline<T>(
  allowed: TimeAllowed,
  outer: AbortSignal,
  begin: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const left = allowed.deadline - allowed.now;
  const late = () => new ModelError('timeout', lateness(allowed.seconds));
  if (left <= 0) throw late();
  try {
    return await withinTime(left, outer, begin, allowed.left);
  } catch (thrown) {
    throw thrown instanceof TimeUpError ? late() : thrown;
  }
}

/** Work failed after its time was up. */
export class TimeUpError extends Error {
  override readonly name = 'TimeUpError';
}

/**
 * Begins work with a signal that is aborted after so many milliseconds (its reason is then a `TimeoutError`
 * DOMException) or with `outer`.
 * @param more asked when the time is up: milliseconds that are left after all
 * @throws {TimeUpError} if the work failed after the time was up
 */
export async function withinTime<T>(
  milliseconds: number,
  outer: AbortSignal,
  begin: (signal: AbortSignal) => Promise<T>,
  more?: () => Promise<number>,
): Promise<T> {
  outer.throwIfAborted();
  // By hand: `AbortSignal.any` and `AbortSignal.timeout` together cost more than everything else around a call, and
  // Node.js 20 may collect what they make before it is aborted.
  const work = new AbortController();
  const expire = () => work.abort(new DOMException('the time is up', 'TimeoutError'));
  let hasEnded = false;
  const wait = (ms: number) => setTimeout(isUp, Math.min(Math.ceil(ms), LONGEST_TIMER_MS));
  let timer = wait(milliseconds);
  function isUp(): void {
    if (more === undefined) return expire();
    more().then((left) => {
      if (left <= 0) expire();
      else if (!hasEnded) timer = wait(Math.max(left, SHORTEST_EXTENSION_MS));
    }, expire);
  }
  const stop = () => work.abort(outer.reason);
  outer.addEventListener('abort', stop);
  try {
    return await begin(work.signal);
  } catch (thrown) {
    const isTimeUp = work.signal.aborted && work.signal.reason !== outer.reason;
    throw isTimeUp ? new TimeUpError('the time is up', { cause: thrown }) : thrown;
  } finally {
    hasEnded = true;
    clearTimeout(timer);
    outer.removeEventListener('abort', stop);
  }
}
