import { expect, test } from 'vitest';
import { readPdf } from '../src/pdf-reader.ts';

test('what is no PDF has no pages', async () => {
  const most = { pages: 9, characters: 9, milliseconds: 60_000 };
  expect(await readPdf(Buffer.from('%PDF-1.4 and nothing else'), most)).toEqual({ texts: [], pages: 0 });
});
