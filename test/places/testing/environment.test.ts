import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { openVirtualTime } from '../../../src/places/testing/virtual-time.ts';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';
import type { LocalTime } from '../../../src/places/time.ts';
import type { Folder } from '../../../src/places/local/local-environment.ts';
import type { LocalStore } from '../../../src/places/local/local-store.ts';
import { latch, type Latch } from '../../fixtures/stage.ts';
import { makeFolder } from '../../fixtures/temp-folder.ts';
import { openGates } from '../contract-agents.ts';
import { CONTRACT_FILES, openProcess } from '../contract-folder.ts';
import { environmentContract, type ContractRig } from '../environment-contract.ts';

describe('memory, with time that goes by only where nothing else is left to do,', () => {
  let time: LocalTime;
  let cwd: string;
  let local: LocalStore;
  let here: Folder;
  let there: Folder;
  let held: Latch;

  beforeAll(async () => {
    time = await openVirtualTime(Date.now());
    cwd = await makeFolder(CONTRACT_FILES);
    local = createMemoryStore();
    [here, there] = [await openProcess(cwd, local, time), await openProcess(cwd, local, time)];
  });
  // While a test looks for what happens, no time goes by, unless it says so.
  beforeEach(() => {
    held = latch();
    void time.during(held.opened);
  });
  afterEach(() => held.open());
  afterAll(async () => {
    openGates();
    for (const environment of [here, there]) {
      await environment.stopAll('the test is over');
      await environment.close();
    }
    await rm(cwd, { recursive: true, force: true });
  });

  async function die(): Promise<void> {
    for (const root of await (await here.carrier()).pipeline.leave()) await local.locks.release(root);
    here = await openProcess(cwd, local, time);
  }

  environmentContract((): ContractRig => ({
    here,
    there,
    letTimePass: () => held.open(),
    die,
  }));
});
