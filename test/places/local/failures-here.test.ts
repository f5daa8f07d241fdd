import { expect, test } from 'vitest';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { StoreError } from '../../../src/errors.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { gate } from '../contract-agents.ts';
import { CONTRACT_FILES, openProcess } from '../contract-folder.ts';

// What fails in this process while it carries trees out, and is awaited by nobody.

test('a record that could not be closed is told once, and fails no tree after its own', async () => {
  const cwd = await tempFolder(CONTRACT_FILES);
  const local = await openLocalStore(cwd);
  let isFull = false;
  const folder = await openProcess(cwd, {
    ...local,
    runs: {
      ...local.runs,
      async updateRun(...given) {
        if (isFull) throw new StoreError('no room');
        return local.runs.updateRun(...given);
      },
    },
  });
  const begin = async (agent: string, prompt: string) => {
    const id = newRunId(agent, Date.now());
    return folder.start({ id, request: { agent, prompt } });
  };
  const endOf = ({ id }: { id: string }) => folder.ended(id, { wholeTree: true });

  const at = gate();
  const first = await begin('worker', at.word);
  await at.reached;
  isFull = true;
  await folder.stop(first, 'enough');
  await expect(endOf(first)).rejects.toThrow('no room');
  isFull = false;
  at.open();

  expect(await endOf(await begin('echo', 'hi'))).toMatchObject({ status: 'succeeded' });
  await folder.close();
});
