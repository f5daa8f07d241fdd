import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { createVirtualTime, type VirtualTime } from '../../../src/places/testing/virtual-time.ts';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';
import type { Folder } from '../../../src/places/local/local-environment.ts';
import type { LocalStore } from '../../../src/places/local/local-store.ts';
import { latch } from '../../fixtures/stage.ts';
import { makeFolder } from '../../fixtures/temp-folder.ts';
import { openGates } from '../contract-agents.ts';
import { CONTRACT_FILES, openProcess } from '../contract-folder.ts';
import { environmentContract, type ContractRig } from '../environment-contract.ts';

describe('memory, with time that goes by only where a test waits for it,', () => {
  let time: VirtualTime;
  let cwd: string;
  let local: LocalStore;
  let here: Folder;
  let there: Folder;

  beforeAll(async () => {
    time = createVirtualTime(Date.now());
    cwd = await makeFolder(CONTRACT_FILES);
    local = createMemoryStore();
    [here, there] = [await openProcess(cwd, local, time), await openProcess(cwd, local, time)];
  });
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
    letTimePass() {
      const over = latch();
      onTestFinished(() => over.open());
      void time.letPass(over.opened);
    },
    die,
  }));
});
