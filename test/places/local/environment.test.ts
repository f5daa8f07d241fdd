import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Folder } from '../../../src/places/local/local-environment.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { makeFolder } from '../../fixtures/temp-folder.ts';
import { openGates } from '../contract-agents.ts';
import { CONTRACT_FILES, openProcess } from '../contract-folder.ts';
import { environmentContract, type ContractRig } from '../environment-contract.ts';

/** A process that was there, and is not any more. */
const DEAD = '2147483647 since 1 of nothing';

describe('a folder, and two processes in it,', () => {
  let cwd: string;
  let here: Folder;
  let there: Folder;
  const open = async () => openProcess(cwd, await openLocalStore(cwd));

  beforeAll(async () => {
    cwd = await makeFolder(CONTRACT_FILES);
    [here, there] = [await open(), await open()];
  });
  afterAll(async () => {
    openGates();
    for (const environment of [here, there]) {
      await environment.stopAll('the test is over');
      await environment.close();
    }
    await rm(cwd, { recursive: true, force: true });
  });

  /** Its runs are left as they are, with the locks of a process that is gone. */
  async function die(): Promise<void> {
    const left = await (await here.carrier()).pipeline.leave();
    const table = await openLmdbTable(join(cwd, '.cadre/store'));
    for (const root of left) {
      const key = { partition: 'running', sort: root };
      const item = await table.get(key);
      if (item !== undefined) await table.putIfVersion(key, DEAD, item.version);
    }
    await table.close();
    await here.close();
    here = await open();
  }

  environmentContract((): ContractRig => ({ here, there, die }));
});
