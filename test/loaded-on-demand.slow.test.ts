import { expect, test } from 'vitest';
import { measureParts, PARTS } from '../scripts/loaded-on-demand.ts';

test('each part adds about as many kilobytes as the list says', async () => {
  const wrong = [...(await measureParts())].filter(([module, kilobytes]) => {
    const [listed = 0] = PARTS[module] ?? [];
    return Math.abs(kilobytes - listed) > Math.max(1, listed / 10);
  });
  expect(wrong).toEqual([]);
});
