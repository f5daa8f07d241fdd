import { expect, test } from 'vitest';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { CONTRACT_FILES, openProcess } from '../contract-folder.ts';

test('a message to a tree of which another process just closes something is not left to that process', async () => {
  const cwd = await tempFolder(CONTRACT_FILES);
  const local = await openLocalStore(cwd);
  const { locks } = local;
  const folder = await openProcess(cwd, {
    ...local,
    locks: {
      ...locks,
      async take(run, purpose) {
        try {
          await locks.take(run, purpose);
        } catch (thrown) {
          await locks.release(run); // the other has closed it
          throw thrown;
        }
      },
    },
  });
  const id = newRunId('echo', Date.now());
  await folder.start({ id, request: { agent: 'echo', prompt: 'hi' } });
  await folder.ended(id, { wholeTree: true });

  await locks.take(id, 'close');
  const { isLeftToAnother } = await folder.send({ run: id, text: 'more' });
  await folder.ended(id, { wholeTree: true });
  const turns = await folder.records.turns(id);
  expect({ isLeftToAnother, answers: turns.map(({ answer }) => answer.text) }).toEqual({
    isLeftToAnother: false,
    answers: ['echo: hi', 'echo: more'],
  });
  await folder.close();
});
