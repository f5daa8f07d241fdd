import { expect, test } from 'vitest';
import { leftOut } from '../../../src/core/attachments/left-out.ts';
import { takesOf } from '../../../src/core/attachments/takes.ts';
import type { Attachment } from '../../../src/core/records/attachment.ts';

const MB = 2 ** 20;
const image = (more: Partial<Attachment> = {}): Attachment => ({
  hash: '',
  type: 'image/png',
  bytes: 1,
  width: 10,
  height: 10,
  ...more,
});
const document = (more: Partial<Attachment> = {}): Attachment => ({
  hash: '',
  type: 'application/pdf',
  bytes: 1,
  pages: 1,
  ...more,
});
const so = (count: number, one: Attachment) => Array<Attachment>(count).fill(one);
const HAIKU = takesOf('anthropic/claude-haiku-4-5');
const BEDROCK = takesOf('bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0');
const GROQ = takesOf('groq/meta-llama/llama-4-scout-17b-16e-instruct');
const MISTRAL = takesOf('mistral/mistral-large-latest');
const BLIND = takesOf('groq/llama-3.3-70b');

// A request that had too much has half of what it may have, so that it takes a while until it has too much again.
test.each([
  ['as many images as it may', so(100, image()), HAIKU, 0],
  ['an image more', so(101, image()), HAIKU, 51],
  ['as many images as may be large', so(20, image({ width: 2_001 })), HAIKU, 0],
  ['an image more, one of them large', [image({ height: 2_001 }), ...so(20, image())], HAIKU, 1],
  ['an image more, all as large as they may', so(21, image({ width: 2_000, height: 2_000 })), HAIKU, 0],
  ['an image more whose size is not known', so(21, { hash: '', type: 'image/png', bytes: 1 }), HAIKU, 0],
  ['as many bytes as it may', so(12, document({ bytes: 2 * MB })), HAIKU, 0],
  ['a byte more', [...so(12, document({ bytes: 2 * MB })), document()], HAIKU, 7],
  ['as many pages as it may', so(10, document({ pages: 10 })), HAIKU, 0],
  ['a page more', [...so(10, document({ pages: 10 })), document()], HAIKU, 6],
  ['documents whose pages are not known', so(101, { hash: '', type: 'application/pdf', bytes: 1 }), HAIKU, 0],
  ['as many documents as it may', so(5, document()), BEDROCK, 0],
  ['a document more', so(6, document()), BEDROCK, 4],
  ['one that is too large beside others', [document(), document({ bytes: 23 * MB })], HAIKU, 0],
  [
    'one that leaves no room for another',
    [document({ bytes: 2 * MB }), document({ bytes: 23 * MB })],
    HAIKU,
    1,
  ],
  ['one that is not sent as it is', so(2, document({ bytes: 25 * MB })), HAIKU, 0],
  ['as many images as Groq takes', so(5, image()), GROQ, 0],
  ['an image more than Groq takes', so(6, image()), GROQ, 4],
  ['more bytes than Groq takes in all', so(3, image({ bytes: 1.1 * MB })), GROQ, 2],
  ['as many images as Mistral takes', so(8, image({ bytes: 2 * MB })), MISTRAL, 0],
  ['an image more than Mistral takes', so(9, image()), MISTRAL, 5],
  ['what its model is not shown', so(600, image()), BLIND, 0],
  ['nothing', [], HAIKU, 0],
])('of %s so many of the oldest are left out', (_, attachments, takes, expected) => {
  expect(leftOut(attachments, takes)).toBe(expected);
});
