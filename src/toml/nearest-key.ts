import { isTable } from './toml-document.ts';

/**
 * What to write in place of an unknown key: the known key that is spelled most like it, wherever that belongs, else
 * those that are known beside it.
 */
export function nearestKey(path: readonly string[], known: Record<string, unknown>): string {
  const unknown = path[path.length - 1] ?? '';
  const table = path.slice(0, -1).join('.');

  let nearest: { key: string; distance: number } | undefined;
  const beside: string[] = [];
  for (const candidate of dottedKeys(known)) {
    const dot = candidate.lastIndexOf('.');
    const isBeside = candidate.slice(0, Math.max(dot, 0)) === table;
    if (isBeside) beside.push(candidate.slice(dot + 1));
    // Half a point against keys of other tables: they are meant only if none beside it is as close.
    const distance = editDistance(unknown.toLowerCase(), candidate.slice(dot + 1)) + (isBeside ? 0 : 0.5);
    if (nearest === undefined || distance < nearest.distance) nearest = { key: candidate, distance };
  }

  const isClose =
    nearest !== undefined && nearest.distance <= Math.max(1, Math.floor(unknown.length / 2.5)) + 0.5;
  return isClose ? `did you mean ${JSON.stringify(nearest?.key)}?` : `known here: ${beside.join(', ')}`;
}

function dottedKeys(known: Record<string, unknown>, prefix = ''): string[] {
  return Object.entries(known).flatMap(([key, value]) => [
    prefix + key,
    ...(isTable(value) ? dottedKeys(value, `${prefix}${key}.`) : []),
  ]);
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
