import { expect, test } from 'vitest';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { collect } from './table-contract.ts';
import { testTableAgainstModel } from './table-model.ts';

testTableAgainstModel(async () => createMemoryTable(), 1_000);

// Where each query sorts all keys, this takes more than a minute.
test(
  'gives page after page of many thousand items without a look at the others',
  { timeout: 20_000 },
  async () => {
    const table = createMemoryTable();
    const sorts = Array.from({ length: 10_000 }, (_, index) => `item#${String(index).padStart(5, '0')}`);
    for (const sort of sorts) await table.putIfAbsent({ partition: 'p', sort }, null);
    for (const reverse of [false, true]) {
      const found: string[] = [];
      for (const _ of sorts) {
        const after = found.at(-1);
        const options = { reverse, limit: 1, ...(after !== undefined && { after }) };
        for (const { key } of await collect(table.query('p', 'item#', options))) found.push(key.sort);
      }
      expect(found).toEqual(reverse ? sorts.toReversed() : sorts);
    }
  },
);
