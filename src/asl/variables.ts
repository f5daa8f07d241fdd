import type { Json } from '../json.ts';

/** The variables that an expression sees, `states` among them; those of outer scopes are inherited. */
export type Variables = { [name: string]: Json | undefined };

/** A scope within another: it sees the outer variables, and what it sets stays its own. */
export function scopeWithin(outer: Variables | null): Variables {
  // oxlint-disable-next-line typescript/no-unsafe-return -- Object.create is declared to give any
  return Object.create(outer);
}
