import { expect, test } from 'vitest';
import { keepingOutput } from '../../../src/core/turn/kept-output.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { aRun } from '../../fixtures/records.ts';

/** What is kept of calls while these things happen, and how often it is looked whether anybody watches. */
async function kept(
  play: (said: {
    write(text: string, call?: number, turn?: number): void;
    pass(milliseconds: number): Promise<void>;
    watch(until: number): void;
    close(): Promise<void> | undefined;
  }) => Promise<void>,
) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const { id } = aRun();
  const drafts: unknown[] = [];
  const heard: string[] = [];
  let looks = 0;
  let watchedUntil = 0;
  await inHeldTime(async (passTime) => {
    const start = Date.now();
    const { tell, close } = keepingOutput({
      store: {
        ...store,
        async watchedUntil() {
          looks += 1;
          return start + watchedUntil;
        },
        async saveDraft(run, { at, ...draft }) {
          drafts.push([run, at - start, draft.turn, draft.output]);
        },
      },
      live: { tell: (event) => void heard.push(event.type) },
      now: Date.now,
    });
    await play({
      write: (text, call = 1, turn = 1) =>
        tell({
          type: 'call_output',
          run: id,
          root: id,
          agent: 'top',
          model: 'm/x',
          depth: 0,
          turn,
          call,
          tool: 'x',
          kind: 'invoke',
          subject: '',
          text,
        }),
      async pass(milliseconds) {
        passTime(milliseconds);
        for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
      },
      watch: (until) => void (watchedUntil = until),
      close,
    });
  });
  return { drafts, looks, heard: heard.length };
}
const RUN = aRun().id;

test('the output of a call is kept every half second while anybody watches', async () => {
  const found = await kept(async ({ write, pass, watch, close }) => {
    watch(60_000);
    write('a');
    await pass(499);
    write('b');
    await pass(1);
    write('c');
    await pass(500);
    await pass(5_000);
    write('d', 2);
    await pass(500);
    write('x'.repeat(16_001), 1, 2);
    await pass(500);
    write('e', 1, 2);
    await close();
    await pass(5_000);
  });
  expect(found).toEqual({
    drafts: [
      [RUN, 500, 1, { call: 1, length: 2, text: 'ab' }],
      [RUN, 1_000, 1, { call: 1, length: 3, text: 'abc' }],
      [RUN, 6_500, 1, { call: 2, length: 1, text: 'd' }],
      [RUN, 7_000, 2, { call: 1, length: 16_001, text: 'x'.repeat(16_000) }],
    ],
    looks: 3,
    heard: 6,
  });
});

test('it is looked every five seconds whether anybody watches', async () => {
  const found = await kept(async ({ write, pass, watch }) => {
    write('a');
    await pass(500);
    watch(60_000);
    for (const text of ['b', 'c']) {
      write(text);
      await pass(500);
    }
    await pass(3_500);
    write('d');
    await pass(499);
    await pass(1);
    watch(0);
    await pass(4_500);
    write('e');
    await pass(500);
  });
  expect(found).toEqual({
    drafts: [[RUN, 5_500, 1, { call: 1, length: 4, text: 'abcd' }]],
    looks: 3,
    heard: 5,
  });
});
