import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';

const HOUR = 3_600_000;

test('a file waits a day for a run that is shown it, and goes with the first that comes after that', async () => {
  let hours = 0;
  const uploads = createMemoryStore().uploads(() => hours * HOUR);
  const bytes = Buffer.from([0, 1, 0xff]);
  await uploads.take?.('ada', 'hash', bytes);
  expect(await uploads.read('ada', 'hash')).toEqual(bytes);
  expect(await uploads.read('bob', 'hash')).toBe(undefined);
  hours = 23.9;
  await uploads.take?.('ada', 'second', Buffer.from('2'));
  expect(await uploads.read('ada', 'hash')).toEqual(bytes);
  hours = 24;
  expect(await uploads.read('ada', 'hash')).toEqual(bytes);
  await uploads.take?.('bob', 'third', Buffer.from('3'));
  expect(await uploads.read('ada', 'hash')).toBe(undefined);
  expect(await uploads.read('ada', 'second')).toEqual(Buffer.from('2'));
});
