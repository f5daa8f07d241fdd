import { expect, test } from 'vitest';
import { createMemories } from '../../../src/places/store/memories.ts';
import { openLateTable } from '../../fixtures/late-table.ts';

test('an entry of an owner is written once its memory is among those of the owner', async () => {
  const table = openLateTable();
  const steps: string[] = [];
  const noting: typeof table = {
    ...table,
    async putIfAbsent(key, ...given) {
      const [what] = key.sort.split('#');
      steps.push(`${what} begins`);
      const put = await table.putIfAbsent(key, ...given);
      steps.push(`${what} is there`);
      return put;
    },
  };
  await createMemories(noting, 'ada').append('top', 'run', {
    at: '2026-01-01T00:00:00Z',
    task: 'go',
    result: 'done',
  });
  expect(steps).toEqual(['name begins', 'name is there', 'entry begins', 'entry is there']);
});
