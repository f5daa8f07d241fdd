import { expect, test } from 'vitest';
import { putMail } from '../../../src/core/lifecycle/put-mail.ts';
import type { Mail } from '../../../src/core/records/mail.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun, keepRun } from '../../fixtures/records.ts';

const from = 'other-00000000000000';

test.each<[string, Pick<Mail, 'from' | 'kind'>, boolean]>([
  ['a message of an agent', { from }, false],
  ['the report of an agent', { from, kind: 'report' }, true],
  ['a message of a person', {}, true],
])('after %s, an agent that worked for a person %s', async (_, mail, isForPerson) => {
  for (const before of [{}, { hasMail: true as const }]) {
    const table = createMemoryTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    const run = aRun({ ...before, isForPerson: true });
    await keepRun(store, run);

    await putMail(run, { ...mail, body: 'x', sentAt: run.startedAt }, undefined, store);

    const { isForPerson: _was, ...others } = run;
    expect(await store.run(run.id)).toEqual({
      ...others,
      hasMail: true,
      ...(isForPerson && { isForPerson }),
    });
    expect(await store.mails(run.id)).toMatchObject([{ ...mail, body: 'x' }]);
  }
});

test('an agent that works for a person goes on so, whatever another one that has its answer sends again', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const run = aRun();
  await keepRun(store, run);
  const mail = { from, body: 'x', sentAt: run.startedAt };
  await putMail(run, mail, 'once', store);
  const forPerson = aRun({ hasMail: true, isForPerson: true });
  await store.updateRun(run.id, () => forPerson);

  await putMail(run, mail, 'once', store);
  expect(await store.run(run.id)).toEqual(forPerson);
  await putMail(run, mail, 'another', store);
  expect(await store.run(run.id)).toEqual(aRun({ hasMail: true }));
});
