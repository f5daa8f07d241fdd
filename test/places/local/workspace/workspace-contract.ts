import { describe, expect, test } from 'vitest';
import {
  type Workspace,
  WorkspaceError,
  type WorkspaceFault,
} from '../../../../src/core/agent-schema/workspace.ts';

const FILES = {
  'a.txt': 'first',
  'docs/b.md': 'second',
  'docs/deep/c.md': 'third',
  'docs/empty': '',
  'with space/é €.txt': 'name',
};

const bytes = (text: string) => new TextEncoder().encode(text);

/** The behaviour of every workspace. @param open one that holds these files */
export function describeWorkspace(
  name: string,
  open: (files: Record<string, string>) => Promise<Workspace>,
): void {
  describe(name, () => {
    test('lists its files with sizes and times, all or those below a folder', async () => {
      const workspace = await open(FILES);
      const listed = async (folder?: string) => {
        const found: [string, number][] = [];
        for await (const { path, stat } of workspace.list(() => true, folder)) {
          const { size = -1, modified = 0 } = (await stat()) ?? {};
          expect(modified).toBeGreaterThan(0);
          found.push([path, size]);
        }
        return found.sort(([one], [other]) => (one < other ? -1 : 1));
      };
      expect(await listed()).toEqual(
        Object.entries(FILES).map(([path, text]) => [path, Buffer.byteLength(text)]),
      );
      expect(await listed('./docs/')).toEqual([
        ['docs/b.md', 6],
        ['docs/deep/c.md', 5],
        ['docs/empty', 0],
      ]);
    });

    test('shows what is directly in a folder', async () => {
      const workspace = await open(FILES);
      const sorted = async (folder: string) =>
        (await workspace.entries(folder)).sort((one, other) => (one.name < other.name ? -1 : 1));
      expect(await sorted('')).toEqual([
        { name: 'a.txt', kind: 'file', isLink: false, size: 5 },
        { name: 'docs', kind: 'folder', isLink: false, size: 0 },
        { name: 'with space', kind: 'folder', isLink: false, size: 0 },
      ]);
      expect(await sorted('docs')).toEqual([
        { name: 'b.md', kind: 'file', isLink: false, size: 6 },
        { name: 'deep', kind: 'folder', isLink: false, size: 0 },
        { name: 'empty', kind: 'file', isLink: false, size: 0 },
      ]);
      await expectFault(workspace.entries('a.txt'), 'not a folder');
      await expectFault(workspace.entries('none'), 'missing');
    });

    test('tells files from folders', async () => {
      const workspace = await open(FILES);
      expect(await workspace.stat('docs/b.md')).toMatchObject({ kind: 'file', size: 6 });
      for (const path of ['', '.', 'docs', 'docs/', 'docs/deep/..']) {
        expect(await workspace.stat(path)).toMatchObject({ kind: 'folder' });
      }
      await expectFault(workspace.stat('none'), 'missing');
    });

    test.each<[object | undefined, string]>([
      [undefined, 'second'],
      [{ limit: 3 }, 'sec'],
      [{ limit: 100 }, 'second'],
      [{ offset: 2 }, 'cond'],
      [{ offset: 2, limit: 2 }, 'co'],
      [{ offset: 6, limit: 2 }, ''],
      [{ offset: 60 }, ''],
    ])('reads the range %j of a file, and knows the size and version of all of it', async (range, text) => {
      const workspace = await open(FILES);
      const read = await workspace.read('docs/b.md', range);
      const whole = await workspace.read('docs/b.md');
      expect([Buffer.from(read.bytes).toString(), read.size]).toEqual([text, 6]);
      expect(read.version()).toBe(whole.version());
    });

    test('reads a file with nothing in it', async () => {
      const read = await (await open(FILES)).read('docs/empty', { limit: 5 });
      expect([read.bytes.length, read.size, typeof read.version()]).toEqual([0, 0, 'string']);
    });

    test('reads names of all letters, and paths that are not as short as they could be', async () => {
      const workspace = await open(FILES);
      const text = async (path: string) => Buffer.from((await workspace.read(path)).bytes).toString();
      expect(await text('with space/é €.txt')).toBe('name');
      expect(await text('./docs//deep/../b.md')).toBe('second');
      expect(await workspace.realPath('./docs//deep/../b.md')).toBe('docs/b.md');
      expect(await workspace.realPath('new/file')).toBe('new/file');
      expect(await workspace.realPath('.')).toBe('');
    });

    test('writes a new file with the folders above it, and only where there is none', async () => {
      const workspace = await open(FILES);
      const version = await workspace.write('new/deep/file', bytes('one'), undefined);
      const { bytes: read, version: readVersion } = await workspace.read('new/deep/file');
      expect([Buffer.from(read).toString(), readVersion()]).toEqual(['one', version]);
      await expectFault(workspace.write('new/deep/file', bytes('two'), undefined), 'exists');
      expect(Buffer.from((await workspace.read('new/deep/file')).bytes).toString()).toBe('one');
    });

    test('writes over the version that is expected, and over no other', async () => {
      const workspace = await open(FILES);
      const first = (await workspace.read('a.txt')).version();
      const second = await workspace.write('a.txt', bytes('changed'), first);
      expect(second).not.toBe(first);
      await expectFault(workspace.write('a.txt', bytes('lost'), first), 'changed');
      await expectFault(workspace.write('none.txt', bytes('lost'), first), 'missing');
      const { bytes: read, version } = await workspace.read('a.txt');
      expect([Buffer.from(read).toString(), version()]).toEqual(['changed', second]);
      expect(await pathsOf(workspace)).toEqual(Object.keys(FILES));
    });

    test('lets one of many win that write at once', async () => {
      const workspace = await open(FILES);
      const version = (await workspace.read('a.txt')).version();
      const outcomes = async (path: string, expected: string | undefined) => {
        const texts = Array.from({ length: 8 }, (_, index) => `writer ${index} ${'x'.repeat(10_000)}`);
        const results = await Promise.allSettled(
          texts.map((text) => workspace.write(path, bytes(text), expected)),
        );
        const won = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [texts[index]] : []));
        expect(won).toEqual([Buffer.from((await workspace.read(path)).bytes).toString()]);
        return results.flatMap((result) => (result.status === 'rejected' ? [faultOf(result.reason)] : []));
      };
      expect(await outcomes('a.txt', version)).toEqual(Array(7).fill('changed'));
      expect(await outcomes('b.txt', undefined)).toEqual(Array(7).fill('exists'));
    });

    test('deletes the version that is expected, and no other', async () => {
      const workspace = await open(FILES);
      const old = (await workspace.read('a.txt')).version();
      const version = await workspace.write('a.txt', bytes('changed'), old);
      await expectFault(workspace.delete('a.txt', old), 'changed');
      await workspace.delete('a.txt', version);
      await expectFault(workspace.delete('a.txt', version), 'missing');
      await expectFault(workspace.read('a.txt'), 'missing');
      expect(await pathsOf(workspace)).toEqual(Object.keys(FILES).slice(1));
    });

    test.each<[string, WorkspaceFault]>([
      ['..', 'outside'],
      ['../a.txt', 'outside'],
      ['docs/../../a.txt', 'outside'],
      ['/etc/passwd', 'outside'],
      ['/', 'outside'],
      ['//etc/passwd', 'outside'],
      ['a\0.txt', 'failed'],
      ['a\ud800.txt', 'failed'],
      ['x'.repeat(5_000), 'failed'],
      ['x'.repeat(2_000), 'failed'],
      ['none', 'missing'],
      ['..．/a.txt', 'missing'],
      ['．．/a.txt', 'missing'],
      ['..\\a.txt', 'missing'],
      ['%2e%2e/a.txt', 'missing'],
      ['~/a.txt', 'missing'],
    ])('refuses to read or delete %j', async (path, fault) => {
      const workspace = await open(FILES);
      await expectFault(workspace.read(path), fault);
      await expectFault(workspace.delete(path, '"0"'), fault);
      if (fault === 'missing') return;
      await expectFault(workspace.write(path, bytes('x'), undefined), fault);
      if (fault === 'outside') await expectFault(workspace.realPath(path), fault);
    });

    test('is no file itself', async () => {
      const workspace = await open(FILES);
      await expectFault(workspace.write('.', bytes('x'), undefined), 'folder');
      expect(faultOf(await workspace.read('').catch((error: unknown) => error))).toMatch(/folder|missing/);
    });
  });
}

export async function pathsOf(workspace: Workspace): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of workspace.list(() => true)) paths.push(path);
  return paths.sort();
}

export async function expectFault(promise: Promise<unknown>, fault: WorkspaceFault): Promise<void> {
  expect(faultOf(await promise.catch((error: unknown) => error))).toBe(fault);
}

/** The fault's name; any other value as it is. */
function faultOf(outcome: unknown): unknown {
  return outcome instanceof WorkspaceError ? outcome.fault : outcome;
}
