import { join } from 'node:path';
import { act, readShop, type Arguments } from '../shop.ts';

interface Graded {
  case: { files: string; x: { actions: [name: string, args: Arguments][] } };
  workspace: string;
}

/**
 * Whether the shop is in the state that the actions of the case lead to, whichever way the agent went. The topics that it
 * handed over are its own words: only their number counts.
 */
export async function handler({ case: { files, x }, workspace }: Graded) {
  const wanted = await readShop(join(process.cwd(), 'evals', files));
  for (const [name, args] of x.actions) act(wanted, name, args);
  const found = await readShop(workspace);
  const [before, after] = [wanted, found].map((shop) => ({ ...shop, handed_over: shop.handed_over.length }));
  const difference = firstDifference(before, after, '');
  return difference === undefined ? { pass: true } : { pass: false, reason: difference };
}

function firstDifference(wanted: unknown, found: unknown, path: string): string | undefined {
  if (!isObject(wanted) || !isObject(found)) {
    return wanted === found
      ? undefined
      : `${path} is ${JSON.stringify(found)}, wanted is ${JSON.stringify(wanted)}`;
  }
  for (const key of Object.keys({ ...wanted, ...found })) {
    const difference = firstDifference(wanted[key], found[key], path === '' ? key : `${path}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
