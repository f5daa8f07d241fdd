import { seconds, type Seconds } from '../records/times.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A duration as agent files have it: 30s, 5m, 1h, 7d. */
export const DURATION = /^(\d{1,9})([smhd])$/;

/**
 * @param duration a text, or a number of seconds
 * @returns seconds; 0 for a text that is no duration
 */
export function secondsIn(duration: string | number): Seconds {
  if (typeof duration === 'number') return seconds(duration);
  const [, count = '', unit = ''] = DURATION.exec(duration) ?? [];
  return seconds(Number(count) * (UNITS[unit] ?? 0));
}
