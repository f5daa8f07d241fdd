import { describe, expect, test } from 'vitest';
import { newsFor, NO_NEWS, turnsThatCount, type Mail } from '../../../src/core/records/mail.ts';
import { aTurn } from '../../fixtures/records.ts';

const NOTICED: Mail = {
  id: 'm1',
  from: 'kid-00000000000001',
  fromName: 'kid',
  body: 'look',
  sentAt: '2026-01-01T00:00:01.000Z',
};
const END: Mail = { ...NOTICED, id: 'm2', kind: 'end', body: 'kid has finished' };
const LOOKS = [{ name: 'mail_read' }];
const turns = [aTurn({ number: 1, noticed: [NOTICED.id] })];
const passedOver = { turn: 1, at: '2026-01-01T00:00:02.000Z', reason: 'budget exceeded' };

describe('an end that a turn was made for in vain', () => {
  const old: Mail = { ...END, isPassedOver: true };

  test('is not told again for a message that the agent was told of and left unread', () => {
    expect(newsFor([NOTICED, old], turns, LOOKS, { passedOver })).toEqual(NO_NEWS);
  });

  test('is told with a message that has come since', () => {
    const later: Mail = { ...NOTICED, id: 'm3' };
    expect(newsFor([NOTICED, old, later], turns, LOOKS, { passedOver })).toEqual({
      said: [
        { text: 'kid has finished' },
        { text: '[Notification: You have 2 unread message(s) in your inbox]' },
      ],
      ids: ['m2'],
      noticed: ['m3'],
    });
  });
});

describe('the turns that count towards the limit of a run', () => {
  const LETTER: Mail = { id: 'p1', body: 'go on', sentAt: '2026-01-01T00:00:03.000Z' };
  const mails = [NOTICED, END, { ...END, id: 'm4' }, LETTER];
  const said = (text: string) => ({ role: 'user' as const, text });
  const turn = (number: number, told: string[], received = told.length) =>
    aTurn({ number, told, received: Array.from({ length: received }, () => said('x')) });
  const counted = (...all: ReturnType<typeof aTurn>[]) =>
    turnsThatCount(all, mails).map(({ number }) => number);

  test('are all but those that ends of other agents alone have caused', () => {
    expect(counted(turn(1, []), turn(2, ['m2']), turn(3, ['m2', 'm4']), turn(4, ['m2', 'm1']))).toEqual([
      1, 4,
    ]);
    expect(counted(turn(1, ['m2'], 2), turn(2, [], 0), aTurn({ number: 3 }))).toEqual([1, 2, 3]);
  });

  test('are those since a person’s newest message, that one among them', () => {
    expect(counted(turn(1, []), turn(2, ['p1']), turn(3, []))).toEqual([2, 3]);
    expect(counted(turn(1, ['p1']), turn(2, ['m1', 'p1']), turn(3, ['m2']))).toEqual([2]);
  });
});
