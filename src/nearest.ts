/**
 * The known word that a mistyped one was most likely meant to be, ignoring case.
 * @param known the first of several that are equally close is taken
 * @param farthest how many letters may differ: by default, two in five
 * @returns undefined if none is close
 */
export function nearest(
  word: string,
  known: readonly string[],
  farthest = Math.max(1, Math.floor(word.length / 2.5)),
): string | undefined {
  let found: string | undefined;
  let least = farthest + 1;
  for (const candidate of known) {
    // Words that differ that much in length cannot be close, and need not be compared letter by letter.
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [found, least] = [candidate, distance];
  }
  return found;
}

/** The hint behind an error about an unknown word: `; did you mean "digest"?`, or nothing. */
export function hintAt(word: string, known: readonly string[]): string {
  const meant = didYouMean(word, known);
  return meant === '' ? '' : `; ${meant}`;
}

/** `did you mean "digest"?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined || meant === word ? '' : `did you mean ${JSON.stringify(meant)}?`;
}

/**
 * The end of an error about an unknown word, where the known ones are few: `did you mean "digest"?`, all of them, or that
 * there are none.
 * @param all as they are shown
 */
export function nearestOrAll(word: string, known: readonly string[], all = known): string {
  const meant = nearest(word, known);
  return meant === undefined ? `there are ${all.join(', ') || 'none'}` : `did you mean "${meant}"?`;
}

/** How many letters to insert, drop, replace or swap with the next one to make one word of the other. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (beforePrevious[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}
