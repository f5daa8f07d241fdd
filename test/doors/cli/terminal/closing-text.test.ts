import { expect, test } from 'vitest';
import { placeText } from '../../../../src/doors/cli/terminal/closing-text.ts';

test.each([
  [{}, ''],
  [{ env: 'dev' }, ' --env dev'],
  [{ agentsDir: 'a' }, ' --agents-dir a'],
  [{ env: 'dev', agentsDir: 'a' }, ' --env dev --agents-dir a'],
])('a run is found with the options that it was started with: %j', (place, text) => {
  expect(placeText({ env: undefined, ...place })).toBe(text);
});
