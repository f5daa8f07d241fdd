import { expect, test } from 'vitest';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { lmdbTable } from '../../fixtures/both-tables.ts';
import { playTrees } from './play-trees.ts';

/** More are played by hand where the residents change. */
const RUNS = 25;

test('after any actions of agents and people, and any death of a function, a tree is as the plain model has it', () =>
  expect(playTrees(createMemoryTable, RUNS)).resolves.toBeUndefined());

test('a tree in LMDB is as the plain model has it', async () => {
  const table = await lmdbTable();
  await expect(playTrees(() => table, 5)).resolves.toBeUndefined();
});
