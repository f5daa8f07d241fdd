import { expect, test } from 'vitest';
import { createOfflineModel } from '../../src/models/offline/offline.ts';
import { ask, running } from './requests.ts';

test.each([
  ['sentences', 'The ferry crosses the lake number. '],
  ['words without an end', 'ferry lake harbour '],
  ['one word', 'a'],
  ['dots', '.'],
  ['dots and spaces', '. '],
  ['dashes', '- '],
  ['quotations', '> '],
  ['brackets after dots', '.)))))))'],
  ['line breaks', '\n'],
  ['Chinese', '今天天气很好。'],
])('offline/extractive reads 2 MB of %s', async (_, piece) => {
  const text = piece.repeat(Math.ceil(2_000_000 / Buffer.byteLength(piece)));
  const request = ask(`What matters?\n\nContext:\n${text}`, { model: 'extractive' });
  const { text: answer } = await createOfflineModel().send(request, running);
  expect(answer.length).toBeGreaterThan(0);
  expect(answer.length).toBeLessThan(5000);
});
