/** The amounts that are counted. Dollars are kept in billionths, as integers, so that sums are exact. */
export const LIMITS = ['tokens', 'nanoUsd', 'turns', 'toolCalls', 'runs'] as const;
export type Limit = (typeof LIMITS)[number];
export type Amounts = Record<Limit, number>;
/** Absent: no limit. */
export type Allowance = Partial<Amounts>;

export const NOTHING: Amounts = { tokens: 0, nanoUsd: 0, turns: 0, toolCalls: 0, runs: 0 };
export const EVERYTHING: Amounts = amounts(() => Infinity);

export function amounts(of: (limit: Limit) => number): Amounts {
  return {
    tokens: of('tokens'),
    nanoUsd: of('nanoUsd'),
    turns: of('turns'),
    toolCalls: of('toolCalls'),
    runs: of('runs'),
  };
}

export function add(one: Amounts, other: Amounts): Amounts {
  return amounts((limit) => one[limit] + other[limit]);
}

/** How much more is wanted than there is. */
export function missing(wanted: Amounts, there: Amounts): Amounts {
  return amounts((limit) => (wanted[limit] > there[limit] ? wanted[limit] - there[limit] : 0));
}

export function isNothing(some: Amounts): boolean {
  return LIMITS.every((limit) => some[limit] === 0);
}

/** A share of nothing yet, with the limits that there are. */
export function nothingOf(limits: Allowance): Allowance {
  return allowance((limit) => (limits[limit] === undefined ? undefined : 0));
}

/** The smaller of each. */
export function lesser(one: Amounts, other: Amounts): Amounts {
  return amounts((limit) => Math.min(one[limit], other[limit]));
}

/** The larger of two totals, limit by limit; undefined if the first is never the smaller. */
export function larger(one: Allowance, other: Allowance): Allowance | undefined {
  const isOlder = LIMITS.every((limit) => (one[limit] ?? Infinity) >= (other[limit] ?? 0));
  if (isOlder) return undefined;
  return allowance((limit) => {
    const before = one[limit];
    return before === undefined ? undefined : Math.max(before, other[limit] ?? 0);
  });
}

/** An amount without a limit stays without one. */
export function plus(one: Allowance, more: Amounts): Allowance {
  return allowance((limit) => {
    const before = one[limit];
    return before === undefined ? undefined : before + more[limit];
  });
}

/** By limit, without those that are unlimited. */
export function allowance(of: (limit: Limit) => number | undefined): Allowance {
  const some: Allowance = {};
  for (const limit of LIMITS) {
    const value = of(limit);
    if (value !== undefined) some[limit] = value;
  }
  return some;
}

/** The limits that leave less than is needed. */
export function limitsBelow(left: Amounts, wanted: Amounts): Limit[] {
  return LIMITS.filter((limit) => wanted[limit] > left[limit]);
}
