/** Four digits up to 9,999, as they have always been; of those beyond, the letter sorts after all digits. */
export function turnNumber(turn: number): string {
  return turn < 10_000 ? String(turn).padStart(4, '0') : `a${String(turn).padStart(12, '0')}`;
}

/** A call within its run. */
export function callNumber(turn: number, call: number): string {
  return `${turnNumber(turn)}#${String(call).padStart(3, '0')}`;
}
