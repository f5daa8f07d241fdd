/** Figures as people read them. */

export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function count(number: number): string {
  return number.toLocaleString('en');
}

/** @param usd null if a price is not known */
export function dollars(usd: number | null): string {
  if (usd === null) return 'cost not known';
  return `$${usd.toFixed(usd !== 0 && usd < 0.1 ? 4 : 2)}`;
}

/** `3 turns`, `1 turn` */
export function counted(number: number, what: string): string {
  return `${count(number)} ${what}${number === 1 ? '' : 's'}`;
}
