import { nearest } from '../nearest.ts';
import { isTable } from './toml-document.ts';

/**
 * What to write in place of an unknown key: the known key that is spelled most like it, wherever that belongs, else
 * those that are known beside it.
 */
export function nearestKey(path: readonly string[], known: Record<string, unknown>): string {
  const table = path.slice(0, -1).join('.');
  const keys = dottedKeys(known).map((dotted) => {
    const dot = dotted.lastIndexOf('.');
    return { dotted, name: dotted.slice(dot + 1), isBeside: dotted.slice(0, Math.max(dot, 0)) === table };
  });
  const beside = keys.filter(({ isBeside }) => isBeside);
  // Keys of other tables come last: they are meant only if none beside it is as close.
  const candidates = [...beside, ...keys.filter(({ isBeside }) => !isBeside)];
  const names = candidates.map(({ name }) => name);
  const close = nearest(path.at(-1) ?? '', names);
  if (close === undefined) return `known here: ${beside.map(({ name }) => name).join(', ')}`;
  return `did you mean ${JSON.stringify(candidates[names.indexOf(close)]?.dotted)}?`;
}

function dottedKeys(known: Record<string, unknown>, prefix = ''): string[] {
  return Object.entries(known).flatMap(([key, value]) => [
    prefix + key,
    ...(isTable(value) ? dottedKeys(value, `${prefix}${key}.`) : []),
  ]);
}
