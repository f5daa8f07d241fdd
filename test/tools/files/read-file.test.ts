import { open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cases } from '../../fixtures/cases.ts';
import { emptyFolder } from '../../fixtures/temp-folder.ts';
import { gif } from '../../fixtures/images.ts';
import { workInFolder } from './workbench.ts';

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

describe('read_file', () => {
  test('shows lines with their numbers, tells what it has read, and knows its version from then on', async () => {
    const { call, versions } = await workInFolder({ 'docs/a.md': 'one\n\n  three\n' });
    expect(await call('read_file', { path: './docs//a.md' })).toEqual({
      text: '1: one\n2: \n3:   three',
      filesRead: ['docs/a.md'],
    });
    expect([...versions.keys()]).toEqual(['docs/a.md']);
  });

  test('takes a path by the name that other tools give it, and numbers as text', async () => {
    const { say } = await workInFolder({ a: numbers(9) });
    expect(await say('read_file', { file_path: 'a', offset: '3', limit: '2' })).toBe(
      '3: line 3\n4: line 4\n(lines 3 to 4 of 9; continue with offset 5)',
    );
  });

  test('shows no more lines than a result has room for', async () => {
    // With their numbers and ends, these have 100 characters each.
    const lines = Array.from({ length: 500 }, (_, index) => 'x'.repeat(100 - `${index + 1}: \n`.length));
    const { say } = await workInFolder({ a: lines.join('\n') });
    const shown = (await say('read_file', { path: 'a' })).split('\n');
    expect([shown.length, shown.at(-1)]).toEqual([499, '(lines 1 to 498 of 500; continue with offset 499)']);
  });

  test('shows 2,000 lines at once, and says how to go on', async () => {
    const { say } = await workInFolder({ a: numbers(4_500) });
    const first = (await say('read_file', { path: 'a', limit: 10_000 })).split('\n');
    expect([first.length, first[1_999], first[2_000]]).toEqual([
      2_001,
      '2000: line 2000',
      '(lines 1 to 2000 of 4500; continue with offset 2001)',
    ]);
    const last = (await say('read_file', { path: 'a', offset: 4_001 })).split('\n');
    expect([last.length, last[0], last[500]]).toEqual([
      501,
      '4001: line 4001',
      '(lines 4001 to 4500 of 4500: the end)',
    ]);
    expect(await say('read_file', { path: 'a', offset: 4_501 })).toBe(
      'Error: offset 4501 is past the end of "a", whose last line is 4500',
    );
  });

  test.each<[string, string | Uint8Array, string]>([
    ['without an end of line', 'one\ntwo', '1: one\n2: two'],
    ['with CRLF', 'one\r\ntwo\r\n', '1: one\n2: two'],
    ['with a byte order mark', '\uFEFFone', '1: one'],
    ['in Latin-1', Buffer.from('caf\xe9\nth\xe9', 'latin1'), '1: café\n2: thé'],
    ['with nothing in it', '', '(the file is empty)'],
    ['of one line end', '\n', '1: '],
    ['of all letters', 'a é € 😀', '1: a é € 😀'],
  ])('reads a file %s', async (_, content, text) => {
    const { say } = await workInFolder({ a: content });
    expect(await say('read_file', { path: 'a' })).toBe(text);
  });

  test('cuts lines at 2,000 characters, and no character in two', async () => {
    const { say } = await workInFolder({ a: `${'é'.repeat(2_000)}\n${'x'.repeat(1_999)}😀😀\nend` });
    expect(await say('read_file', { path: 'a' })).toBe(
      `1: ${'é'.repeat(2_000)}\n2: ${'x'.repeat(1_999)}… (cut: the line has 2007 bytes)\n3: end`,
    );
  });

  test('reads a line that is far longer than what is read at once, and the lines after it', async () => {
    const { say, folder } = await workInFolder();
    const file = await open(join(folder, 'a'), 'w');
    const part = 'x'.repeat(4_000_000);
    const parts = cases(25);
    for (let written = 0; written < parts; written++) await file.write(part);
    await file.write('\nend\n');
    await file.close();
    const text = await say('read_file', { path: 'a' });
    expect(text).toBe(`1: ${'x'.repeat(2_000)}… (cut: the line has ${parts * part.length} bytes)\n2: end`);
  });

  test('reads the start of a file of 1 GB without reading the rest', async () => {
    const { say, folder } = await workInFolder();
    await writeFile(join(folder, 'a'), `${numbers(450_000)}\n`);
    await truncate(join(folder, 'a'), 1024 ** 3);
    const lines = (await say('read_file', { path: 'a', offset: 440_000, limit: 2 })).split('\n');
    expect(lines).toEqual([
      '440000: line 440000',
      '440001: line 440001',
      '(lines 440000 to 440001 of a file of 1073741824 bytes; continue with offset 440002)',
    ]);
  });

  test.each<[string, Uint8Array | string, string]>([
    ['a.png', Buffer.from('89504e470d0a1a0a', 'hex'), 'image/png, 8 bytes'],
    ['a', Buffer.from('ffd8ffe0', 'hex'), 'image/jpeg, 4 bytes'],
    ['a', gif(1200, 800), 'image/gif, 1200 x 800, 14 bytes'],
    ['a', Buffer.from('RIFF\x10\0\0\0WEBP'), 'image/webp, 12 bytes'],
    ['a.txt', '%PDF-1.7', 'application/pdf, 8 bytes'],
    ['a', Buffer.from('II*\0'), 'Error: "a" is a TIFF image: only text can be read'],
  ])('says what %s is by its first bytes', async (path, content, text) => {
    const { say, versions } = await workInFolder({ [path]: content });
    expect(await say('read_file', { path })).toBe(text);
    expect(versions.has(path)).toBe(!text.startsWith('Error'));
  });

  test('refuses what is no text, no file, or not there', async () => {
    const { say } = await workInFolder({ folder: emptyFolder, binary: 'a\0b' });
    expect(await say('read_file', { path: 'binary' })).toBe(
      'Error: "binary" is a binary file: only text can be read',
    );
    expect(await say('read_file', { path: 'folder' })).toBe('Error: "folder" is a folder, not a file');
    expect(await say('read_file', { path: 'none' })).toBe('Error: there is no file or folder "none"');
    expect(await say('read_file', { path: '../none' })).toBe('Error: path "../none" is outside the workdir');
  });
});
