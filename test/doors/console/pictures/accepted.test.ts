import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACCEPTED } from './album.ts';
import { PICTURES } from './draw-all.ts';

test('every state of every view has an accepted picture in each look, and no picture is left over', () => {
  const browsers = existsSync(ACCEPTED) ? readdirSync(ACCEPTED) : [];
  const files = browsers.map((browser) => ({
    browser,
    files: readdirSync(join(ACCEPTED, browser)).toSorted(),
  }));
  const expected = PICTURES.map((name) => `${name}.png`).toSorted();
  expect(files).toEqual(browsers.map((browser) => ({ browser, files: expected })));
});
