import { expect, test } from 'vitest';
import { temperatureOf } from '../../../src/core/records/opened.ts';

test.each([
  ['a record of an earlier release that had none', { temperature: 0 }, undefined],
  ['a record of an earlier release that had one', { temperature: 0.3 }, 0.3],
  ['a record without any', {}, undefined],
  ['a record with one', { sampling: { temperature: 0.3 } }, 0.3],
  ['a record with 0', { sampling: { temperature: 0 } }, 0],
])('the temperature of %s', (_, opened, sent) => {
  expect(temperatureOf(opened)).toBe(sent);
});
