import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { toOutput } from '../../../src/tools/mcp/client/to-output.ts';

const PNG = `iVBORw0KGgo${Buffer.alloc(30_000, 'a1B').toString('base64')}`;
const SIZE = `${Math.round(Buffer.byteLength(PNG, 'base64') / 1024)} KB`;
const CURSOR = Buffer.from(JSON.stringify({ after: 'x'.repeat(600), Z: 1 })).toString('base64');

const textBlock = (text: string) => ({ type: 'text' as const, text });

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

test.each<[string, CallToolResult, string]>([
  ['nothing', { content: [] }, '(no output)'],
  ['an empty text beside data', { content: [textBlock('')], structuredContent: { a: 1 } }, '{"a":1}'],
  ['a text beside data', { content: [textBlock('one')], structuredContent: { a: 1 } }, 'one'],
  [
    'data that is nested too deeply',
    { content: [], structuredContent: { a: JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) } },
    '[an object, nested too deeply, left out]',
  ],
  [
    'a sound',
    { content: [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }, textBlock('two')] },
    '[audio/wav, 3 bytes, left out]\ntwo',
  ],
  [
    'files of kinds that nobody knows',
    {
      content: [
        { type: 'resource', resource: { uri: 'a://b', blob: 'AAAA' } },
        {
          type: 'resource',
          resource: { uri: 'a://c', mimeType: 'x/y', blob: Buffer.alloc(1000).toString('base64') },
        },
      ],
    },
    '[a://b, no text, 3 bytes, left out]\n[a://c, x/y, 1 KB, left out]',
  ],
])('of a result that holds %s, a model reads what there is', (_, result, text) => {
  expect(toOutput(result)).toEqual({ text });
});

test('a model sees the pictures that a server embeds, and reads where they come from', () => {
  const blob =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const content: CallToolResult['content'] = [{ type: 'resource', resource: { uri: 'a://b', blob } }];
  const { text, attachments, ...rest } = toOutput({ content });
  expect({ text, ...rest, types: attachments?.map(({ attachment }) => attachment.type) }).toEqual({
    text: '[a://b]\n[image/png, 1 x 1, 70 bytes]',
    types: ['image/png'],
  });
});
