import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Mailboxes } from '../../../src/core/records/ports.ts';
import { createMailboxes } from '../../../src/places/store/mailboxes.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { dynamoDbTable, lmdbTable } from '../../fixtures/both-tables.ts';
import { cases } from '../../fixtures/cases.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';

const TO = 'top-00000000000000';
const AT = '2026-01-01T00:00:00.000Z';
const letter = (from: string, body: string, sentAt = AT) => ({ from, body, sentAt });

const STORES: [string, () => Promise<Table>][] = [
  ['LMDB', lmdbTable],
  ['DynamoDB', dynamoDbTable],
];

describe.each(STORES)('a mailbox in %s', (_, open) => {
  test.each([
    ['is empty', ''],
    ['has spaces', 'no such message'],
    ['is longer than a key', 'x'.repeat(5000)],
    ['is half a character', '\ud800'],
  ])('has no message by an id that %s', async (_what, id) => {
    const boxes = createMailboxes(await open());
    expect(await boxes.markRead(TO, id)).toBeUndefined();
    expect(await boxes.takeMail(TO, id, 't1c1')).toBe(false);
    expect(await boxes.deleteMail(TO, id)).toBe(false);
  });

  test('keeps what many write at once, each message once and in the order of its writer', async () => {
    const table = await open();
    const writers = Array.from({ length: cases(100) }, (_writer, index) => `writer${index}`);
    await Promise.all(
      writers.map(async (from, index) => {
        // Each of them is another function, which knows nothing of the others, and may be called twice.
        const boxes = createMailboxes(table);
        await boxes.saveMail(TO, letter(from, '1'), `${from} 1`);
        if (index % 10 > 0) return;
        await boxes.saveMail(TO, letter(from, '2'), `${from} 2`);
        await boxes.saveMail(TO, letter(from, '1'), `${from} 1`);
      }),
    );
    const expected = writers.flatMap((from, index) => [
      `${from} 1`,
      ...(index % 10 > 0 ? [] : [`${from} 2`]),
    ]);
    const mails = await createMailboxes(table).mails(TO);
    const written = mails.map(({ from, body }) => `${from} ${body}`);
    expect(written.toSorted()).toEqual(expected.toSorted());
    for (const from of writers) {
      const own = written.filter((each) => each.startsWith(`${from} `));
      expect(own).toEqual(own.toSorted());
    }
  });

  test('gives each message to one of those who take it at once', async () => {
    const table = await open();
    const boxes = createMailboxes(table);
    const { id } = await boxes.saveMail(TO, letter('a', 'x'));
    const calls = Array.from({ length: 20 }, (_call, index) => `t1c${index}`);
    const taken = await Promise.all(calls.map((by) => createMailboxes(table).takeMail(TO, id, by)));
    expect(taken.filter(Boolean)).toEqual([true]);
    const [mail] = await boxes.mails(TO);
    expect(mail?.takenBy).toBe(calls[taken.indexOf(true)]);
    // The holder is told so again.
    expect(await boxes.takeMail(TO, id, mail?.takenBy ?? '')).toBe(true);
  });

  test('forgets the wait with one token, and no other', async () => {
    const boxes = createMailboxes(await open());
    const earlier = { run: TO, token: 'one', until: 1 };
    const later = { run: TO, token: 'two', until: 2 };
    await boxes.saveMailWait(earlier);
    await boxes.saveMailWait(later);
    await boxes.deleteMailWait(earlier);
    expect(await boxes.mailWaits(TO)).toEqual([later]);
  });
});

describe('the messages of one writer', () => {
  /** One writer's actions, on machines whose clocks differ. */
  const writing = fc.array(
    fc.record({ skewMs: fc.integer({ min: -5_000, max: 5_000 }), isDeleted: fc.boolean() }),
    {
      maxLength: 30,
    },
  );

  test('stay in their order, with any clocks and any deletions', async () => {
    await fc.assert(
      fc.asyncProperty(writing, async (messages) => {
        const boxes: Mailboxes = createMailboxes(createMemoryTable());
        const left: string[] = [];
        for (const [index, { skewMs, isDeleted }] of messages.entries()) {
          const sentAt = new Date(Date.parse(AT) + skewMs).toISOString();
          const { id } = await boxes.saveMail(TO, letter('a', String(index), sentAt), `a${index}`);
          if (isDeleted) await boxes.deleteMail(TO, id);
          else left.push(String(index));
          // A repetition of an earlier one brings nothing back.
          await boxes.saveMail(TO, letter('a', String(index), sentAt), `a${index}`);
        }
        expect((await boxes.mails(TO)).map(({ body }) => body)).toEqual(left);
      }),
      { numRuns: cases(50) },
    );
  });
});
