import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  listWorkspace,
  pullWorkspace,
  pushWorkspace,
  tell,
} from '../../../src/doors/cli/commands/workspace.ts';
import { ConfigError } from '../../../src/errors.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { startS3Server, type S3Server } from '../../fixtures/s3-server.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const settings = mockClient(SSMClient);
afterAll(() => settings.restore());

let bucket: S3Server;
beforeEach(async () => {
  bucket = await startS3Server('bucket');
  const deployment = {
    region: 'eu-west-1',
    stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:cadre-dev',
    tableName: 'table',
    bucketName: 'bucket',
    apiUrl: 'https://api.example',
    keepDays: 30,
  };
  settings.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(deployment) } });
  const environment = {
    AWS_ENDPOINT_URL_S3: bucket.endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await bucket.close();
});

const keys = () => [...bucket.objects.keys()].sort();

describe('a workspace', () => {
  test('is given the files of a folder that git does not ignore, and gives them back', async () => {
    const folder = await tempFolder({
      'a.md': 'one\n',
      'src/b.ts': 'two\n',
      '.env': 'KEY=1\n',
      '.gitignore': '.env\nout/\n',
      'out/c.js': 'three\n',
      '.git/config': 'x',
      '.cadre/store/data': 'x',
    });
    const io = recordedIo(folder);
    expect(await pushWorkspace('.', { env: 'dev', workdir: 'work' }, io)).toBe(0);
    expect(keys()).toEqual(['.gitignore', 'a.md', 'src/b.ts'].map((path) => `workspace/work/${path}`));
    expect([io.out, io.err]).toEqual([
      '.gitignore\na.md\nsrc/b.ts\n',
      '3 files pushed, 0 already the same\n',
    ]);

    const listed = recordedIo(folder);
    await listWorkspace({ env: 'dev' }, listed);
    expect(listed.out).toBe('work/.gitignore\t10\nwork/a.md\t4\nwork/src/b.ts\t4\n');

    const other = recordedIo(await tempFolder({ 'a.md': 'one\n' }));
    expect(await pullWorkspace('.', { env: 'dev', workdir: 'work' }, other)).toBe(0);
    expect(other.err).toBe('2 files pulled, 1 already the same\n');
    expect(await readFile(join(other.cwd, 'src/b.ts'), 'utf8')).toBe('two\n');
  });

  test('overwrites nothing without a word: not one file where another differs', async () => {
    const folder = await tempFolder({ 'a.md': 'one\n', 'b.md': 'two\n' });
    const io = recordedIo(folder);
    await pushWorkspace('.', { env: 'dev' }, io);
    await writeFile(join(folder, 'a.md'), 'changed\n');
    await writeFile(join(folder, 'c.md'), 'new\n');
    await expect(pushWorkspace('.', { env: 'dev' }, io)).rejects.toThrow(
      'nothing was pushed: other content is there of "a.md"; overwrite it with --force',
    );
    expect(keys()).toEqual(['workspace/a.md', 'workspace/b.md']);
    await expect(pullWorkspace('.', { env: 'dev' }, io)).rejects.toThrow('nothing was pulled');
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('changed\n');
    await pushWorkspace('.', { env: 'dev', force: true }, io);
    expect(String(bucket.objects.get('workspace/a.md')?.bytes)).toBe('changed\n');
    expect(io.err).toContain('2 files pushed, 1 already the same\n');
  });

  test('is not pushed from a folder that is not there', async () => {
    const io = recordedIo(await tempFolder({ file: 'x' }));
    for (const folder of ['nowhere', 'file']) {
      await expect(pushWorkspace(folder, { env: 'dev' }, io)).rejects.toThrow(
        `there is no folder ${join(io.cwd, folder)}`,
      );
    }
  });
});

test('files are named as they were copied, or the first ten of those that hold something else', () => {
  const io = recordedIo('/');
  expect(tell('moved', { written: ['a\n', 'b'], same: ['c'], differing: [] }, io)).toBe(0);
  expect([io.out, io.err]).toEqual(['a \nb\n', '2 files moved, 1 already the same\n']);
  for (const [count, others] of [
    [1, ''],
    [10, ''],
    [12, ' and 2 others'],
  ] as const) {
    const differing = Array.from({ length: count }, (_, index) => `${index}.md`);
    const named = differing.slice(0, 10).map((path) => `"${path}"`);
    const message = `nothing was moved: other content is there of ${named.join(', ')}${others}; overwrite it with --force`;
    expect(() => tell('moved', { written: [], same: [], differing }, io)).toThrow(new ConfigError(message));
  }
});
