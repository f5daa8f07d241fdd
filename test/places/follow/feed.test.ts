import { expect, test } from 'vitest';
import type { AnswerPiece } from '../../../src/core/events/live.ts';
import { createFeed } from '../../../src/places/follow/feed.ts';
import { aRun, aTurn } from '../../fixtures/records.ts';

const run = aRun();
const at = 1_000;
const begun = { type: 'begun', run: run.id, turn: 1, at, messages: 1, pendingCalls: 0 } as const;
const piece = (offset: number, text: string, more: Partial<AnswerPiece> = {}): AnswerPiece => ({
  type: 'piece',
  kind: 'text',
  run: run.id,
  turn: 1,
  at,
  offset,
  text,
  ...more,
});

/** A feed that has heard the beginning of an answer. */
function heard() {
  const feed = createFeed();
  feed.tell(begun);
  feed.tell(piece(0, 'so '));
  feed.tell(piece(0, 'hm', { kind: 'thinking' }));
  return feed;
}
const ANSWER = { turn: 1, at, messages: 1, pendingCalls: 0, text: 'so ', thinking: 'hm' };

test('the answer that is being written is put together of its pieces alone, each once', () => {
  const feed = heard();
  feed.tell(piece(3, 'far'));
  feed.tell(piece(3, 'far'));
  feed.tell(piece(9, 'lost before it'));
  feed.tell(piece(6, 'of an earlier attempt', { at: 999 }));
  feed.tell({ ...piece(6, 'of another run'), run: 'other' });
  expect([feed.answer(run.id), feed.answer('other')]).toEqual([{ ...ANSWER, text: 'so far' }, undefined]);
});

test.each([
  ['its turn', { type: 'turn', run: run.id, turn: aTurn() } as const, undefined],
  ['the end of its run', { type: 'run', before: run, after: aRun({ status: 'failed' }) } as const, undefined],
  ['another change of its run', { type: 'run', before: run, after: run } as const, ANSWER],
  ['another write', { type: 'opened', run: run.id } as const, ANSWER],
])('an answer is over with %s', (_, write, left) => {
  const feed = heard();
  feed.wrote(write);
  expect(feed.answer(run.id)).toEqual(left);
});

test('who listens to a tree hears what is written and told in it, until they leave', () => {
  const feed = createFeed();
  const news: [string, unknown][] = [];
  const leave = ['one', 'other'].map((name) => feed.listen(run.id, (each) => void news.push([name, each])));
  const opened = { type: 'opened', run: run.id } as const;
  feed.wrote(opened);
  leave[0]?.();
  feed.tell(begun);
  feed.wrote({ type: 'opened', run: 'top-00000000000001' });
  leave[1]?.();
  feed.wrote(opened);
  expect(news).toEqual([
    ['one', opened],
    ['other', opened],
    ['other', begun],
  ]);
});
