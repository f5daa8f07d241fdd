import { execFileSync } from 'node:child_process';
import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolderWorkspace } from '../../../../src/places/local/workspace/folder-workspace.ts';
import { emptyFolder, tempFolder } from '../../../fixtures/temp-folder.ts';
import { describeWorkspace, expectFault, pathsOf } from './workspace-contract.ts';

describeWorkspace('a folder as a workspace', async (files) => openFolderWorkspace(await tempFolder(files)));

const text = new TextEncoder().encode('text');

describe('a folder as a workspace', () => {
  test('takes absolute paths that are in it', async () => {
    const folder = await tempFolder({ 'a/b.txt': 'b' });
    const workspace = openFolderWorkspace(folder);
    expect(await workspace.realPath(join(folder, 'a/b.txt'))).toBe('a/b.txt');
    await workspace.write(join(folder, 'c.txt'), text, undefined);
    expect(await readFile(join(folder, 'c.txt'), 'utf8')).toBe('text');
  });

  test('follows links that stay in it, and writes what they lead to', async () => {
    const folder = await tempFolder({
      'real/a.txt': 'a',
      link: { linkTo: 'real' },
      'a-link.txt': { linkTo: 'link/a.txt' },
      'new-link.txt': { linkTo: 'link/new.txt' },
    });
    const workspace = openFolderWorkspace(folder);
    expect(await workspace.realPath('a-link.txt')).toBe('real/a.txt');
    const version = (await workspace.read('a-link.txt')).version();
    await workspace.write('a-link.txt', text, version);
    await workspace.write('new-link.txt', text, undefined);
    expect(await pathsOf(workspace)).toEqual([
      'a-link.txt',
      'link/a.txt',
      'link/new.txt',
      'new-link.txt',
      'real/a.txt',
      'real/new.txt',
    ]);
    expect(await readFile(join(folder, 'real/a.txt'), 'utf8')).toBe('text');
    expect(await readFile(join(folder, 'real/new.txt'), 'utf8')).toBe('text');
  });

  test('lets no link lead out of it, whether anything is there or not', async () => {
    const root = await tempFolder({
      'secret.txt': 'secret',
      'work/file': { linkTo: '../secret.txt' },
      'work/folder': { linkTo: '..' },
      'work/dangling': { linkTo: '../none.txt' },
      'work/chain': { linkTo: 'dangling' },
      'work/absolute': { linkTo: '/etc' },
    });
    const workspace = openFolderWorkspace(join(root, 'work'));
    for (const path of ['file', 'folder/secret.txt', 'dangling', 'chain', 'folder/x/y', 'absolute/none']) {
      await expectFault(workspace.read(path), 'outside');
      await expectFault(workspace.write(path, text, undefined), 'outside');
      await expectFault(workspace.delete(path, ''), 'outside');
      await expectFault(workspace.stat(path), 'outside');
      await expectFault(workspace.realPath(path), 'outside');
    }
    expect(await workspace.entries('')).toContainEqual({
      name: 'folder',
      kind: 'other',
      isLink: true,
      size: 0,
    });
    await expectFault(workspace.entries('folder'), 'outside');
    expect(await readFile(join(root, 'secret.txt'), 'utf8')).toBe('secret');
  });

  test('neither opens nor waits for what is no regular file', async () => {
    const folder = await tempFolder({ folder: emptyFolder, file: '' });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await symlink('loop', join(folder, 'loop'));
    const workspace = openFolderWorkspace(folder);
    for (const [path, fault] of [
      ['pipe', 'special'],
      ['folder', 'folder'],
      ['loop', 'failed'],
      ['file/below', 'failed'],
    ] as const) {
      await expectFault(workspace.read(path), fault);
      await expectFault(workspace.write(path, text, ''), fault);
    }
    const devices = openFolderWorkspace('/dev');
    await expectFault(devices.read('zero'), 'special');
    await expectFault(devices.write('null', text, undefined), 'special');
  });

  // On systems that have no such thing there is no such test: one that is skipped fails a whole run.
  test.each(process.platform === 'linux' ? ['self/environ', 'kmsg', 'self/mem'] : [])(
    'does not read /proc/%s',
    async (path) => {
      await expectFault(openFolderWorkspace('/proc').read(path), 'special');
    },
  );

  test('keeps who may read, write and execute a file', async () => {
    const folder = await tempFolder({ 'run.sh': 'old' });
    await chmod(join(folder, 'run.sh'), 0o751);
    const workspace = openFolderWorkspace(folder);
    await workspace.write('run.sh', text, (await workspace.read('run.sh')).version());
    expect((await stat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o751);
  });

  test('notices that a file of any size has changed', async () => {
    const folder = await tempFolder({ large: new Uint8Array(17 * 1024 ** 2) });
    const workspace = openFolderWorkspace(folder);
    const { size, version } = await workspace.read('large', { offset: 5, limit: 10 });
    expect(size).toBe(17 * 1024 ** 2);
    const changed = new Uint8Array(17 * 1024 ** 2);
    const next = await workspace.write('large', changed, version());
    await expectFault(workspace.write('large', changed, version()), 'changed');
    expect((await workspace.read('large')).version()).toBe(next);
    await workspace.delete('large', next);
  });
});
