// The figures of evaluations. All of them take the rates of cases, the shares of each one's tries that passed: repeating a
// case makes its own rate more exact and is no further case, so the number of cases alone makes an interval narrow.

/** 95 % of a normal distribution lie within so many standard deviations. */
const Z = 1.959963984540054;

export interface RateInterval {
  low: number;
  high: number;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Wilson's score interval of the mean of rates (E. B. Wilson, 1927): it holds for few cases, and at 0 and 1. */
export function rateInterval(rates: readonly number[]): RateInterval {
  const n = rates.length;
  if (n === 0) return { low: 0, high: 1 };
  const p = mean(rates);
  const z2 = (Z * Z) / n;
  const middle = (p + z2 / 2) / (1 + z2);
  const half = (Z / (1 + z2)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n));
  return { low: p === 0 ? 0 : clamp(middle - half), high: p === 1 ? 1 : clamp(middle + half) };
}

/**
 * The interval of the difference of two means over the same cases: the squares of the ways from each mean to the ends of
 * its own interval are added, less what both have in common (R. G. Newcombe, 1998, method 10 for paired data).
 */
export function differenceInterval(
  from: readonly number[],
  to: readonly number[],
): RateInterval & { difference: number } {
  const [p, q] = [mean(from), mean(to)];
  const [a, b] = [rateInterval(from), rateInterval(to)];
  const r = correlation(from, to);
  const distance = (x: number, y: number) => Math.sqrt(Math.max(0, x * x - 2 * r * x * y + y * y));
  const difference = q - p;
  return {
    difference,
    low: Math.max(-1, difference - distance(q - b.low, a.high - p)),
    high: Math.min(1, difference + distance(b.high - q, p - a.low)),
  };
}

/** 0 where one of both does not vary. */
function correlation(one: readonly number[], other: readonly number[]): number {
  const [p, q] = [mean(one), mean(other)];
  let [both, first, second] = [0, 0, 0];
  one.forEach((value, index) => {
    const [x, y] = [value - p, (other[index] ?? 0) - q];
    both += x * y;
    first += x * x;
    second += y * y;
  });
  return first === 0 || second === 0 ? 0 : both / Math.sqrt(first * second);
}

/** The chance that at least one of k tries passes, without bias from n tries of which c passed (M. Chen and others, 2021). */
export function passAt(k: number, tries: number, passed: number): number {
  return 1 - chanceOfAll(k, tries, tries - passed);
}

/** The chance that all of k tries pass, in the same way (S. Yao and others, 2024). */
export function passHat(k: number, tries: number, passed: number): number {
  return chanceOfAll(k, tries, passed);
}

/** The chance that k tries drawn from n are all among c: C(c, k) / C(n, k). */
function chanceOfAll(k: number, n: number, c: number): number {
  let chance = 1;
  for (let drawn = 0; drawn < k; drawn++) chance *= Math.max(0, c - drawn) / (n - drawn);
  return chance;
}

/** The nearest rank: the least value that is not below a share of all of them. @returns null for none */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
