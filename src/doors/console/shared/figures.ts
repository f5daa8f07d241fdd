/** Figures as people read them. */

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min` */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (Math.round(seconds) < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds) % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The same where there is little room: `0.4 s`, `12 s`, `3:20 min`, `2:05 h` */
export function shortDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  const whole = Math.round(seconds);
  if (whole < 60) return `${Number(seconds < 10 ? seconds.toFixed(1) : whole)} s`;
  const [large, small, unit] =
    whole < 3600
      ? [Math.floor(whole / 60), whole % 60, 'min']
      : [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, 'h'];
  return `${large}${small === 0 ? '' : `:${String(small).padStart(2, '0')}`} ${unit}`;
}

/** `850`, `3.4k`, `12k`, `1.2M`: three characters say enough in a list. */
export function shortCount(number: number): string {
  if (number < 1000) return String(number);
  const [scaled, unit] = number < 999_500 ? [number / 1000, 'k'] : [number / 1e6, 'M'];
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

/** `850 tokens`, `3.4k tokens`, `1 token` */
export function tokenCount(number: number): string {
  return `${shortCount(number)} token${number === 1 ? '' : 's'}`;
}

/** @param usd null if a price is not known */
export function dollars(usd: number | null): string {
  if (usd === null) return '$?';
  return `$${usd.toFixed(usd !== 0 && usd < 0.1 ? 4 : 2)}`;
}

/** `5 min ago`, and the date of an earlier time. */
export function ago(at: string, now: number): string {
  const seconds = Math.max(0, now - Date.parse(at)) / 1000;
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return dateOf(at);
}

/** `in 5 min`, and the date of a later time. */
export function until(at: string, now: number): string {
  const minutes = Math.round((Date.parse(at) - now) / 60_000);
  if (minutes < 1) return 'at any moment';
  if (minutes < 60) return `in ${minutes} min`;
  if (minutes < 24 * 60) return `in ${Math.round(minutes / 60)} h`;
  return `on ${dateOf(at)}`;
}

/** `Jan 31, 2026` */
export function dateOf(at: string): string {
  return new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

/** `Jan 31` @param day `2026-01-31`, in UTC */
export function dayName(day: string): string {
  return new Date(day).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
}

/** `10:14` */
export function timeOfDay(at: string): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

/** `96%` of the runs that have ended one way or the other; undefined where none has. */
export function successShare({
  succeeded,
  failed,
}: {
  succeeded: number;
  failed: number;
}): string | undefined {
  const ended = succeeded + failed;
  // All but one of a thousand is not all.
  return ended === 0 ? undefined : `${Math.floor((100 * succeeded) / ended)}%`;
}
