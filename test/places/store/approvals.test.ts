import { describe, expect, test } from 'vitest';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { aRun } from '../../fixtures/records.ts';
import { bothTables } from '../../fixtures/both-tables.ts';

const { inLmdb, inDynamoDb } = bothTables();

const id = 'top-00000000000000';
const run = aRun();

describe.each([
  ['LMDB', inLmdb],
  ['DynamoDB', inDynamoDb],
])('approvals in %s', (_, openTable) => {
  test('are kept with the call, the first of them wins, and hold for a tool in one run until its tree is deleted', async () => {
    const table = await openTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    const other = 'top-00000000000001';
    for (const each of [id, other]) await store.insertRun({ ...run, id: each, root: each });
    const at = { run: id, turn: 1, call: 1 };
    const asked = {
      ...at,
      root: id,
      agent: 'top',
      question: 'Allow write_file: a?',
      choices: ['approve', 'deny', 'always'],
      approval: { tool: 'write_file', arguments: { path: 'a', deep: [{ x: 1 }] } },
      askedAt: run.startedAt,
    };
    expect(await store.saveQuestion(asked)).toEqual(asked);
    const always = { text: 'always', decision: 'always' as const, by: 'ann', at: run.startedAt };
    expect(await store.saveAnswer(asked, always)).toEqual(always);
    expect(await store.saveAnswer(asked, { text: 'deny', decision: 'deny', at: run.startedAt })).toEqual(
      always,
    );
    expect(await store.question(at)).toEqual(asked);
    const second = { ...at, call: 2 };
    expect(await store.saveAnswer({ ...second, root: id }, always)).toEqual(always);
    expect(await store.saveQuestion({ ...asked, ...second })).toBeUndefined();
    expect(await store.question(second)).toBeUndefined();
    expect(await store.questionsOf(id)).toEqual([{ question: asked, answer: always }]);

    expect(await store.standingApproval(id, 'write_file')).toBeUndefined();
    await store.saveStandingApproval(id, 'write_file', { by: 'ann', at: run.startedAt });
    await store.saveStandingApproval(id, 'write_file', { by: 'bob', at: run.startedAt });
    expect(await store.standingApproval(id, 'write_file')).toEqual({ by: 'ann', at: run.startedAt });
    expect(await store.standingApproval(id, 'write_files')).toBeUndefined();
    expect(await store.standingApproval(other, 'write_file')).toBeUndefined();

    await store.updateRun(id, (current) => ({ ...current, status: 'stopped' }));
    await store.deleteTrees([id]);
    expect(await store.standingApproval(id, 'write_file')).toBeUndefined();
    expect(await store.answer(at)).toBeUndefined();
  });
});
