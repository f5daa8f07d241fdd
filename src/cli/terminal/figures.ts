/** Numbers, amounts and times as people read them. */

/** `1,234`, and `5.1e+16` for what nobody reads. */
export function count(value: number): string {
  if (value >= 1e12) return value.toPrecision(2);
  // Intl takes 6 ms to load.
  return Number.isInteger(value) ? grouped(value) : value.toLocaleString('en-US');
}

/** `1 turn`, `2,000 turns`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** `$0.0123`, `$1.23`, `$1,234`. */
export function inDollars(amount: number): string {
  if (amount >= 1e12) return `$${amount.toPrecision(2)}`;
  if (amount >= 100) return `$${grouped(Math.round(amount))}`;
  return `$${amount < 0.1 ? Number(amount.toPrecision(3)) : amount.toFixed(2)}`;
}

function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** `2026-01-31 10:00:00Z`. */
export function moment(at: string): string {
  return `${at.slice(0, 19).replace('T', ' ')}Z`;
}

/** `1.2s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)}s`;
}
