import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workIn, workInFolder } from './workbench.ts';
import { gif } from '../../fixtures/images.ts';

const UNREAD = 'exists and was not read in this run: read it with read_file first';
const STALE = 'has changed since it was read in this run: read it again with read_file';

describe('write_file', () => {
  test('creates a file with its folders, and replaces what the run has written itself', async () => {
    const { call, folder } = await workInFolder();
    expect(await call('write_file', { path: 'new/a.txt', content: 'é' })).toEqual({
      text: 'created "new/a.txt" (2 bytes)',
      filesModified: ['new/a.txt'],
    });
    expect(await call('write_file', { file_path: 'new/../new/a.txt', content: 'two' })).toEqual({
      text: 'replaced "new/a.txt" (3 bytes)',
      filesModified: ['new/a.txt'],
    });
    expect(await readFile(join(folder, 'new/a.txt'), 'utf8')).toBe('two');
  });

  test('replaces no file that was not read, or has changed since', async () => {
    const { say, folder } = await workInFolder({ a: 'old', b: 'old' });
    expect(await say('write_file', { path: 'a', content: 'new' })).toBe(`Error: "a" ${UNREAD}`);
    await say('read_file', { path: 'a' });
    await writeFile(join(folder, 'a'), 'else');
    expect(await say('write_file', { path: 'a', content: 'new' })).toBe(`Error: "a" ${STALE}`);
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('else');
    await say('read_file', { path: 'a' });
    expect(await say('write_file', { path: 'a', content: 'new' })).toBe('replaced "a" (3 bytes)');
  });

  test('finds what it has written before to be written', async () => {
    const { say, workspace } = await workInFolder();
    await say('write_file', { path: 'a', content: 'text' });
    // Another attempt at the same call, which does not know that the first one got through.
    expect(await workIn(workspace).say('write_file', { path: 'a', content: 'text' })).toBe(
      'created "a" (4 bytes)',
    );
  });

  test('creates a file again that was deleted after it was read', async () => {
    const { say, folder } = await workInFolder({ a: 'old' });
    await say('read_file', { path: 'a' });
    await rm(join(folder, 'a'));
    expect(await say('write_file', { path: 'a', content: 'new' })).toBe('created "a" (3 bytes)');
  });
});

describe('edit_file', () => {
  test('replaces a string that occurs once, and may do so again', async () => {
    const { call, say, folder } = await workInFolder({ a: 'one\ntwo\nthree\n' });
    await say('read_file', { path: 'a' });
    expect(await call('edit_file', { path: 'a', old_string: 'two', new_string: '$& 2' })).toEqual({
      text: 'edited "a" in line 2',
      filesModified: ['a'],
    });
    expect(await say('edit_file', { path: 'a', old_string: 'three\n', new_string: '' })).toBe(
      'edited "a" in line 3',
    );
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('one\n$& 2\n');
  });

  test('tells where a string occurs several times, and replaces all where it is asked to', async () => {
    const { say, folder } = await workInFolder({ a: 'x\ny x\nz\nx' });
    await say('read_file', { path: 'a' });
    expect(await say('edit_file', { path: 'a', old_string: 'x', new_string: 'w' })).toBe(
      'Error: old_string occurs 3 times in "a", in lines 1, 2, 4: ' +
        'add lines around it until it occurs once, or set replace_all',
    );
    expect(await say('edit_file', { path: 'a', old_string: 'x', new_string: 'w', replace_all: 'true' })).toBe(
      'edited "a" in 3 places',
    );
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('w\ny w\nz\nw');
  });

  test.each([
    ['none', 'Error: old_string was not found in "a": read the file again'],
    ['  if (x) {\n  go();', 'Error: old_string was not found in "a"; white space apart, line 2 has it'],
    [
      'if (x) {\nstop();',
      'Error: old_string was not found in "a"; line 2 has its first line, but not what follows',
    ],
    ['a'.repeat(100), 'Error: old_string was not found in "a": read the file again'],
  ])('tells what comes nearest to %j, which is not there', async (old_string, text) => {
    const { say } = await workInFolder({ a: 'start\nif (x) {\n\tgo();\n}\n' });
    await say('read_file', { path: 'a' });
    expect(await say('edit_file', { path: 'a', old_string, new_string: 'y' })).toBe(text);
  });

  test.each<[string, string, string, string, string]>([
    ['CRLF', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc\r\n'],
    ['CRLF, written by the model too', 'a\r\nb\r\nc\r\n', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\nc\r\n'],
    ['CRLF around what is removed', 'a\r\nb\r\nc\r\n', '\nb', '', 'a\r\nc\r\n'],
    ['CRLF after CRLF', 'a\r\n\r\n\r\nb\r\n', 'b\n', 'c\n\n', 'a\r\n\r\n\r\nc\r\n\r\n'],
    ['mostly CRLF', 'a\r\nb\r\nc\nd', 'b', 'b\nb', 'a\r\nb\r\nb\r\nc\nd'],
    ['mostly LF', 'a\r\nb\nc\nd', 'a\nb', 'x\ny', 'x\ny\nc\nd'],
    ['LF', 'a\nb\n', 'a', 'x\r\ny', 'x\r\ny\nb\n'],
  ])('keeps the line ends of a file with %s', async (_, content, old_string, new_string, expected) => {
    const { say, folder } = await workInFolder({ a: content });
    await say('read_file', { path: 'a' });
    expect(await say('edit_file', { path: 'a', old_string, new_string })).toMatch(/^edited/);
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe(expected);
  });

  test('keeps the encoding of a file', async () => {
    const { say, folder } = await workInFolder({
      latin: Buffer.from('caf\xe9 one', 'latin1'),
      marked: '\uFEFFone',
    });
    for (const path of ['latin', 'marked']) await say('read_file', { path });
    await say('edit_file', { path: 'latin', old_string: 'one', new_string: 'thé' });
    await say('edit_file', { path: 'marked', old_string: 'one', new_string: 'two' });
    expect(await readFile(join(folder, 'latin'), 'latin1')).toBe('café thé');
    expect(await readFile(join(folder, 'marked'), 'utf8')).toBe('\uFEFFtwo');
    expect(await say('edit_file', { path: 'latin', old_string: 'caf', new_string: '€' })).toBe(
      'Error: "latin" is encoded in Latin-1, which has no "€"',
    );
  });

  test('refuses what was not read, has changed, is no text, too large, or not there', async () => {
    const { say, versions, folder } = await workInFolder({
      a: 'x',
      binary: '\0x',
      large: new Uint8Array(17 * 1024 ** 2),
    });
    const edit = (path: string) => say('edit_file', { path, old_string: 'x', new_string: 'y' });
    expect(await edit('a')).toBe(`Error: "a" ${UNREAD}`);
    await say('read_file', { path: 'a' });
    await writeFile(join(folder, 'a'), 'x and more');
    expect(await edit('a')).toBe(`Error: "a" ${STALE}`);
    expect(versions.size).toBe(1);
    expect(await edit('binary')).toBe('Error: "binary" is a binary file: only text can be read');
    expect(await edit('large')).toBe('Error: "large" has 17825792 bytes: at most 16777216 can be edited');
    expect(await edit('none')).toBe('Error: there is no file or folder "none"');
  });

  test('refuses changes that are none', async () => {
    const { say } = await workInFolder({ a: 'x' });
    await say('read_file', { path: 'a' });
    expect(await say('edit_file', { path: 'a', old_string: '', new_string: 'y' })).toBe(
      'Error: argument "old_string" is empty: to write a whole file, use write_file',
    );
    expect(await say('edit_file', { path: 'a', old_string: 'x', new_string: 'x' })).toBe(
      'Error: arguments "old_string" and "new_string" are the same',
    );
  });
});

describe('delete_file', () => {
  test('deletes what was read, and nothing else', async () => {
    const { call, say, folder, workspace } = await workInFolder({ 'f/a': 'a', b: 'b' });
    expect(await say('delete_file', { path: 'f/a' })).toBe(`Error: "f/a" ${UNREAD}`);
    await say('read_file', { path: 'f/a' });
    await writeFile(join(folder, 'f/a'), 'c');
    expect(await say('delete_file', { path: 'f/a' })).toBe(`Error: "f/a" ${STALE}`);
    await say('read_file', { path: 'f/a' });
    expect(await call('delete_file', { path: 'f/a' })).toEqual({
      text: 'deleted "f/a"',
      filesModified: ['f/a'],
    });
    expect(await say('delete_file', { path: 'f/a' })).toBe('Error: there is no file or folder "f/a"');
    expect(await say('delete_file', { path: 'f' })).toBe('Error: "f" is a folder, not a file');
    expect((await workspace.entries('')).map(({ name }) => name).sort()).toEqual(['b', 'f']);
  });

  test('deletes an image that was shown', async () => {
    const { say } = await workInFolder({ a: gif(3, 2) });
    expect(await say('delete_file', { path: 'a' })).toBe(`Error: "a" ${UNREAD}`);
    await say('read_file', { path: 'a' });
    expect(await say('delete_file', { path: 'a' })).toBe('deleted "a"');
  });
});

test('of siblings that change a file at once, one does and the others are told', async () => {
  const { workspace, folder } = await workInFolder({ a: 'start' });
  const siblings = Array.from({ length: 8 }, () => workIn(workspace));
  for (const { say } of siblings) await say('read_file', { path: 'a' });
  const texts = await Promise.all(
    siblings.map(({ say }, index) =>
      index % 2 === 0
        ? say('edit_file', { path: 'a', old_string: 'start', new_string: `edit ${index}` })
        : say('write_file', { path: 'a', content: `write ${index}` }),
    ),
  );
  const winners = texts.flatMap((text, index) => (text.startsWith('Error') ? [] : [index]));
  expect(winners).toHaveLength(1);
  expect(texts.filter((text) => text === `Error: "a" ${STALE}`)).toHaveLength(7);
  expect(await readFile(join(folder, 'a'), 'utf8')).toMatch(new RegExp(`^(edit|write) ${winners[0]}$`));
});
