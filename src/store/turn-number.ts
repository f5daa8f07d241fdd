/** Four digits up to 9,999, as they have always been; of those beyond, the letter sorts after all digits. */
export function turnNumber(turn: number): string {
  return turn < 10_000 ? String(turn).padStart(4, '0') : `a${String(turn).padStart(12, '0')}`;
}
