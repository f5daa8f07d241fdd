import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openLmdbTable } from '../../src/store/lmdb-table.ts';
import { describeTable } from './table-contract.ts';
import { testTableAgainstModel } from './table-model.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lmdb-table-'));
});
afterAll(() => rm(folder, { recursive: true }));

const openShared = () => openLmdbTable(join(folder, 'shared'));
describeTable('the table in LMDB', openShared);
testTableAgainstModel(openShared, 200);
