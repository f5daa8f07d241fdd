import { expect, onTestFinished, test } from 'vitest';
import { createCooldowns } from '../../../src/places/store/cooldowns.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

async function openCooldowns() {
  const table = await openLmdbTable(await tempFolder());
  onTestFinished(() => table.close());
  return createCooldowns(table);
}

test('of all that say until when a model is to be left alone the longest counts, and for that model alone', async () => {
  const { coolDown, cooldownOf } = await openCooldowns();
  expect(await cooldownOf('m/x')).toBe(0);
  for (const [until, longest] of [
    [500, 500],
    [400, 500],
    [501, 501],
  ] as const) {
    await coolDown('m/x', until);
    expect(await cooldownOf('m/x')).toBe(longest);
  }
  expect(await cooldownOf('m/y')).toBe(0);
});

test.each(['x', 'é', '☃', '𝕏'])(
  'the name of a model may be longer than a key: any number of %s',
  async (character) => {
    const { coolDown, cooldownOf } = await openCooldowns();
    // Wherever it is cut, for one of them that is within a character of two code units.
    for (const model of [`m/${character.repeat(600)}`, `n-/${character.repeat(600)}`]) {
      await coolDown(model, 500);
      expect(await cooldownOf(model)).toBe(500);
    }
  },
);
