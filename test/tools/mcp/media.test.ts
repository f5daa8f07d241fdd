import { expect, test } from 'vitest';
import { toOutput } from '../../../src/tools/mcp/client/to-output.ts';

const PNG = `iVBORw0KGgo${Buffer.alloc(30_000, 'a1B').toString('base64')}`;
const SIZE = `${Math.round(Buffer.byteLength(PNG, 'base64') / 1024)} KB`;
const CURSOR = Buffer.from(JSON.stringify({ after: 'x'.repeat(600), Z: 1 })).toString('base64');

test('a model reads no picture in base64, wherever a server puts it', () => {
  const value = {
    name: 'a.png',
    icon: PNG,
    logo: `data:image/svg+xml;charset=utf-8;base64,${CURSOR}`,
    parts: [{ mimeType: 'audio/x-odd', data: CURSOR }],
  };
  const lean = JSON.stringify({
    name: 'a.png',
    icon: `[base64, ${SIZE}, left out]`,
    logo: '[image/svg+xml, 618 bytes, left out]',
    parts: [{ mimeType: 'audio/x-odd', data: '[audio/x-odd, 618 bytes, left out]' }],
  });
  expect(toOutput({ content: [], structuredContent: value })).toEqual({ text: lean });
  // Servers repeat their structured content as a text, for clients that do not know it.
  const text = JSON.stringify(value, undefined, 2);
  expect(toOutput({ content: [{ type: 'text', text }], structuredContent: value })).toEqual({ text: lean });
  const page = (icon: string) => ({ type: 'text' as const, text: `see ![icon](${icon}) here` });
  expect(toOutput({ content: [page(`data:image/png;base64,${PNG}`)] })).toEqual({
    text: `see ![icon]([image/png, ${SIZE}, left out]) here`,
  });
});

test.each([
  ['a cursor for the next page', { cursor: CURSOR }],
  ['a sequence of bases', { dna: 'ACGT'.repeat(3_000) }],
  ['a hexadecimal dump', { dump: 'c0ffee'.repeat(3_000) }],
  ['a small icon', { icon: 'iVBORw0KGgoAAAANSUhEUg' }],
  ['a text in base64', { mimeType: 'text/plain', data: CURSOR }],
])('a model reads %s as it is', (_, value) => {
  expect(toOutput({ content: [], structuredContent: value })).toEqual({ text: JSON.stringify(value) });
  const text = JSON.stringify(value, undefined, 2);
  expect(toOutput({ content: [{ type: 'text', text }] })).toEqual({ text });
});
