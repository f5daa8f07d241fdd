/** When a person was here, in milliseconds since 1970. */
export interface PageVisit {
  /** The moment since which everything is new to them. */
  since: number;
  /** The last time at which they saw the page. */
  seen: number;
}

const DAY_MS = 86_400_000;
/** A person who comes back within this is still on the same visit: a reload makes nothing old. */
const SAME_VISIT_MS = 30 * 60_000;

/** The visit at a moment. @param before the one that was stored; undefined on the first visit */
export function visitAt(now: number, before: PageVisit | undefined): PageVisit {
  if (before === undefined) return { since: now - DAY_MS, seen: now };
  const isSame = now - before.seen < SAME_VISIT_MS;
  return { since: isSame ? before.since : before.seen, seen: now };
}
