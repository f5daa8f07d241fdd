import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Turn } from '../../src/runs/run.ts';
import { createDocuments } from '../../src/store/documents.ts';
import { createFolderBlobs } from '../../src/store/folder-blobs.ts';
import { openLmdbTable } from '../../src/store/lmdb/table.ts';
import { createRunStore } from '../../src/store/runs.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

/** Opens the store of one folder as often as asked, as several processes do. */
async function openFolder() {
  const folder = await tempFolder();
  return async () => {
    const table = await openLmdbTable(join(folder, 'store'));
    onTestFinished(() => table.close());
    return createRunStore(table, createDocuments(table, createFolderBlobs(join(folder, 'blobs'))));
  };
}

const ID = 'lead-0123456789abcd';
const turn = (number: number, text = `answer ${number}`): Turn => ({
  number,
  received: [],
  messages: 1,
  answer: {
    text,
    calls: [],
    stopReason: 'end',
    rawStopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 1 },
  },
  plans: [],
  at: '2026-01-01T00:00:00.000Z',
  latencyMs: 0,
});

test('turns are all there and in order, whichever of two processes wrote them', async () => {
  const open = await openFolder();
  const [one, two] = [await open(), await open()];
  expect(await one.turns(ID)).toEqual([]);
  const written: Turn[] = [];
  for (const [index, store] of [one, one, two, one, two, two, one].entries()) {
    written.push(await store.saveTurn(ID, turn(index + 1)));
    expect(await two.turns(ID)).toEqual(written);
    // The one that does not look each time has to catch up by more than a turn.
    if (index % 3 === 0) expect(await one.turns(ID)).toEqual(written);
  }
  const fresh = await open();
  expect(await fresh.turns(ID)).toEqual(written);
});

test('what a caller adds to the turns that it was given stays its own', async () => {
  const store = await (await openFolder())();
  await store.saveTurn(ID, turn(1));
  (await store.turns(ID)).push(turn(2));
  expect(await store.turns(ID)).toEqual([turn(1)]);
});

test('a turn stays what the first writer made it', async () => {
  const open = await openFolder();
  const [one, two] = [await open(), await open()];
  await one.saveTurn(ID, turn(1, 'first'));
  expect(await two.saveTurn(ID, turn(1, 'second'))).toEqual(turn(1, 'first'));
  expect(await two.turns(ID)).toEqual([turn(1, 'first')]);
});
