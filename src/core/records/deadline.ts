import { ModelError } from '../../errors.ts';
import {
  earliest,
  later,
  longer,
  systemAfter,
  timeUntil,
  toMillis,
  toTimeout,
  type After,
  type Instant,
  type Millis,
  type Seconds,
  type TreeInstant,
  millis,
  seconds,
  timeBetween,
} from './times.ts';

/**
 * Time limits are absolute deadlines, and inherited: that of the top binds everything below it. A sub-agent's deadline
 * is a margin ahead of its parent's, so that the parent can still answer with what it got.
 */

/** For a run if neither its caller nor its agent sets any. */
export const DEFAULT_TIMEOUT = seconds(120);

/** The same where models are asked in batches, each of which may take a day. */
const BATCH_TIMEOUT = seconds(172_800);

/** For a run if neither its caller nor its agent sets any. @param service how its model serves it */
export function usualTimeout(service: string | undefined): Seconds {
  return service === 'batch' ? BATCH_TIMEOUT : DEFAULT_TIMEOUT;
}

/** Ten days, after which the machine ends an execution in any case: no run can be given more. */
export const LONGEST_TIMEOUT = seconds(864_000);

/** The parent keeps a tenth of the rest, at most this. */
const MAX_MARGIN_MS = 10_000;

/** When the sub-agents of a turn must be done, whenever each of them starts. */
export function childDeadline(now: TreeInstant, parentDeadline: TreeInstant): TreeInstant {
  const left = Math.max(0, timeUntil(parentDeadline, now));
  return later(parentDeadline, millis(-Math.min(MAX_MARGIN_MS, Math.floor(left / 10))));
}

/** The deadline of a run that starts now: the inherited one, or the earliest by these limits (0: none). */
export function ownDeadline(now: TreeInstant, inherited: TreeInstant, ...limits: Seconds[]): TreeInstant {
  const own = limits.filter((limit) => limit > 0).map((limit) => later(now, toMillis(limit)));
  return earliest(inherited, ...own);
}

/** Whole seconds until the deadline, at least 1. */
export function secondsUntil(deadline: TreeInstant, now: TreeInstant): Seconds {
  return toTimeout(timeUntil(deadline, now));
}

/** How time goes by while work is under way. */
export interface TimeKept {
  /** Asked when the time is up: milliseconds that are left after all, as the tree's clock may have stood still. */
  left?: (() => Promise<Millis>) | undefined;
  /** Absent: the system's timers. */
  after?: After | undefined;
}

export interface TimeAllowed extends TimeKept {
  until: Instant;
  /** The run's whole time, for the message. */
  seconds: Seconds;
  now: Instant;
}

function lateness(seconds: number | string): string {
  return `no answer within the ${seconds}s that the run was given`;
}

const LATE = new RegExp(`^timeout: ${lateness('\\d+')}$`);

/** Whether a run failed because its own time was up; a model's API may time out earlier. */
export function isLate(message: string): boolean {
  return LATE.test(message);
}

/** A duration for people: `1.2s`. */
export function toSeconds(milliseconds: Millis): string {
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

/** While an agent waits for a person, its time stays the same, however short: it need not be asked for often. */
const SHORTEST_EXTENSION = millis(500);

/**
 * Begins work with a signal that is aborted at the deadline or with `outer`, and puts the deadline into words.
 * @throws {ModelError} of category `timeout` if the deadline came first
 */
export async function untilDeadline<T>(
  allowed: TimeAllowed,
  outer: AbortSignal,
  begin: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const left = timeBetween(allowed.now, allowed.until);
  const late = () => new ModelError('timeout', lateness(allowed.seconds));
  if (left <= 0) throw late();
  try {
    return await withinTime(left, outer, begin, allowed);
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
 * @throws {TimeUpError} if the work failed after the time was up
 */
export async function withinTime<T>(
  milliseconds: Millis,
  outer: AbortSignal,
  begin: (signal: AbortSignal) => Promise<T>,
  { left, after = systemAfter }: TimeKept = {},
): Promise<T> {
  outer.throwIfAborted();
  // By hand: `AbortSignal.any` and `AbortSignal.timeout` together cost more than everything else around a call, and
  // Node.js 20 may collect what they make before it is aborted.
  const work = new AbortController();
  const expire = () => work.abort(new DOMException('the time is up', 'TimeoutError'));
  let hasEnded = false;
  let cancel = after(milliseconds, isUp);
  function isUp(): void {
    if (left === undefined) return expire();
    left().then((more) => {
      if (more <= 0) expire();
      else if (!hasEnded) cancel = after(longer(more, SHORTEST_EXTENSION), isUp);
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
    cancel();
    outer.removeEventListener('abort', stop);
  }
}
