import { callName, type CallKey } from './call.ts';
import { type Instant, type Millis, millis, shortest } from './times.ts';

/**
 * Time in which an agent of a tree waits for a person does not count, up to the tree's patience. Each tree has one
 * clock. Deadlines never change: the time that counts at any moment is the deadline and the time that was paused by
 * then.
 */
export interface TreeClock {
  /** The most that is ever paused in all. */
  patience: Millis;
  /** The time that was paused before `since`: the union of all waits, never their sum. */
  paused: Millis;
  /** The beginning of the current wait; absent without one. */
  since?: Instant;
  /** The questions that are open. */
  open: string[];
  /** The number of the execution that the top was last resumed with; absent: it never was. */
  resumedAs?: number;
}

/** A clock that was never stopped. */
export function freshClock(patience: Millis): TreeClock {
  return { patience, paused: 0, open: [] };
}

/**
 * The clock of a tree that is resumed as a whole. It has all of its patience again, since no agent waited while it had
 * no carrier. A clock that was already reset for the same execution stays, with the questions that were asked since.
 * @param resumedAs the number of the top's next execution
 */
export function setBack(clock: TreeClock, resumedAs: number): TreeClock {
  const { patience, resumedAs: last = 1 } = clock;
  return last < resumedAs ? { ...freshClock(patience), resumedAs } : clock;
}

/** How long the clock has been stopped by now. */
export function pausedAt(clock: TreeClock | undefined, now: Instant): Millis {
  if (clock === undefined) return 0;
  const { patience, paused, since = now } = clock;
  return shortest(patience, millis(paused + Math.max(0, now - since)));
}

/** The rest of the patience. */
export function patienceLeft(clock: TreeClock, now: Instant): Millis {
  return millis(clock.patience - pausedAt(clock, now));
}

/** Stops the clock for a question; a question for which it already stands still changes nothing. */
export function pauseFor(clock: TreeClock, question: string, now: Instant): TreeClock {
  if (clock.open.includes(question)) return clock;
  return { ...clock, since: clock.since ?? now, open: [...clock.open, question] };
}

/** Lets the clock go on once the last question has ended. */
export function resumeAfter(clock: TreeClock, question: string, now: Instant): TreeClock {
  if (!clock.open.includes(question)) return clock;
  const open = clock.open.filter((each) => each !== question);
  if (open.length > 0) return { ...clock, open };
  const { since: _, ...stopped } = clock;
  return { ...stopped, paused: pausedAt(clock, now), open };
}

/** A clock's name for a question of its tree. */
export function clockName(question: CallKey): string {
  return `${question.run} ${callName(question)}`;
}
