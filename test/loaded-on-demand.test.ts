import { expect, test } from 'vitest';
import { DECIDING, lateImports, OUTSIDE, PARTS } from '../scripts/loaded-on-demand.ts';

test('what is loaded only once it is needed is on the list, and the list has nothing else', () => {
  const deciding = Object.keys(DECIDING);
  const late = lateImports().filter(({ from }) => !deciding.some((folder) => from.startsWith(folder)));
  const listed = [...Object.keys(PARTS), ...Object.keys(OUTSIDE)];
  expect([...new Set(late.map(({ module }) => module))].sort()).toEqual(listed.sort());
});
