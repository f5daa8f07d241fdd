import { describe, expect, test } from 'vitest';
import type { Table } from '../../../src/places/store/table.ts';
import { play, type Scenario } from '../../account/scenario.ts';
import { dynamoDbTable, lmdbTable } from '../../fixtures/both-tables.ts';
import { STRIDE } from '../../fixtures/nightly.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { FAULTS, faultsOf, SCENARIOS } from './deaths.ts';

/**
 * @param first the operation that fails first
 * @param step from there to the next one
 * @returns the faults, by the operation that failed
 */
async function sweep(scenario: Scenario, table: Table, first: number, step: number): Promise<object[]> {
  const { operations } = await play(scenario, table);
  const found: object[] = [];
  // A repetition makes operations more, and a stop may come at another moment: the rest is beyond the end.
  for (let at = first; at < operations; at += step) {
    const fault = { at, when: FAULTS[(at + first) % FAULTS.length] ?? 'before' };
    const wrong = faultsOf(await play({ ...scenario, fault }, table));
    if (wrong.length > 0) found.push({ ...fault, wrong });
  }
  return found;
}

describe.each(SCENARIOS)('%s ends, and is charged once, with any failure at any operation', (_, scenario) => {
  test('in memory', async () => {
    expect(await sweep(scenario, createMemoryTable(), 0, STRIDE)).toEqual([]);
  });

  test('in LMDB', async () => {
    expect(await sweep(scenario, await lmdbTable(), 1, 11 * STRIDE)).toEqual([]);
  });

  test('in DynamoDB', async () => {
    expect(await sweep(scenario, await dynamoDbTable(), 2, 23 * STRIDE)).toEqual([]);
  });
});
