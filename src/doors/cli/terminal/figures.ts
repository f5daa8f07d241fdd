import { count } from '../../../counted.ts';

/** Amounts and times as people read them. */

/** `$0.0123`, `$1.23`, `$1,234`. */
export function inDollars(amount: number): string {
  if (amount >= 1e12) return `$${amount.toPrecision(2)}`;
  if (amount >= 100) return `$${count(Math.round(amount))}`;
  return `$${amount < 0.1 ? Number(amount.toPrecision(3)) : amount.toFixed(2)}`;
}

/** `2026-01-31 10:00:00Z`. */
export function moment(at: string): string {
  return `${at.slice(0, 19).replace('T', ' ')}Z`;
}

/** `1.2s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)}s`;
}

/** `1 entry`, `2,000 entries`. */
export function entriesIn(number: number): string {
  return `${count(number)} ${number === 1 ? 'entry' : 'entries'}`;
}
