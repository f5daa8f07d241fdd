/** `1,234`, and `5.1e+16` for numbers too long to read. */
export function count(value: number): string {
  if (value >= 1e12) return value.toPrecision(2);
  // Intl takes 6 ms to load.
  return Number.isInteger(value) ? grouped(value) : value.toLocaleString('en-US');
}

/** `1 turn`, `2,000 turns`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
