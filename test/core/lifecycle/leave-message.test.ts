import { expect, test } from 'vitest';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { ConfigError } from '../../../src/errors.ts';
import { aRun, aSubAgent } from '../../fixtures/records.ts';
import { standingStill } from '../../fixtures/standing-still.ts';

const top = aRun();
const kid = aSubAgent(top);

test.each([top, kid])(
  'a message to a tree that is removed meanwhile is refused, and leaves nothing: to $id',
  async ({ id }) => {
    const table = createMemoryTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    for (const one of [top, kid]) {
      await store.insertRun(one);
      const closed = { status: 'succeeded', endedAt: one.startedAt } as const;
      await store.updateRun(one.id, (run) => ({ ...run, ...closed }));
    }
    const removed = standingStill(store, 'saveMail', () => store.deleteTrees([top.id]));
    const now = () => Date.parse(top.startedAt);
    await expect(
      leaveMessage({ run: id, text: 'more', once: 'key' }, { store: removed, now }),
    ).rejects.toThrow(new ConfigError(`there is no run "${id}"`));
    expect([await store.mails(id), await store.sentMail(id, 'key')]).toEqual([[], undefined]);
  },
);
