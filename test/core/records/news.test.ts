import { describe, expect, test } from 'vitest';
import { newsFor, NO_NEWS, type Mail } from '../../../src/core/records/mail.ts';
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
