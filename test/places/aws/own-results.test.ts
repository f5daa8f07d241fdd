import { afterAll, beforeAll, expect, test } from 'vitest';
import { withOwnResults } from '../../../src/places/aws/own-results.ts';
import { openS3Workspace } from '../../../src/places/aws/s3-workspace.ts';
import { s3Client, startS3Server, type S3Server } from '../../fixtures/s3-server.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server('bucket');
});
afterAll(() => server.close());

const RESULT = '.cadre-results/top-00000000000000-t1c1.txt';

test('a shared workspace has the results of its owner alone, wherever they are looked for', async () => {
  const open = (prefix: string) =>
    openS3Workspace({ client: s3Client(server.endpoint), bucket: 'bucket', prefix });
  const [shared, own] = [open('shared/'), open('own/')];
  await shared.write('a.md', Buffer.from('shared'), undefined);
  await shared.write('docs/b.md', Buffer.from('shared'), undefined);
  await shared.write(RESULT, Buffer.from('of others'), undefined);
  await own.write('a.md', Buffer.from('own'), undefined);
  const version = await own.write(RESULT, Buffer.from('own'), undefined);
  const workspace = withOwnResults(shared, own);

  const listed = async (folder?: string, isEntered: (name: string) => boolean = () => true) => {
    const paths: string[] = [];
    for await (const { path } of workspace.list(isEntered, folder)) paths.push(path);
    return paths.sort();
  };
  expect(await listed()).toEqual([RESULT, 'a.md', 'docs/b.md']);
  expect(await listed('.')).toEqual([RESULT, 'a.md', 'docs/b.md']);
  expect(await listed('', (name) => !name.startsWith('.'))).toEqual(['a.md', 'docs/b.md']);
  expect(await listed('docs')).toEqual(['docs/b.md']);
  expect(await listed('.cadre-results')).toEqual([RESULT]);
  const names = async (folder: string) => (await workspace.entries(folder)).map(({ name }) => name).sort();
  expect([await names('.'), await names('docs'), await names('.cadre-results')]).toEqual([
    ['a.md', 'docs'],
    ['b.md'],
    ['top-00000000000000-t1c1.txt'],
  ]);

  const read = async (path: string) => Buffer.from((await workspace.read(path)).bytes).toString();
  expect([await read('a.md'), await read(RESULT), await read(`docs/../${RESULT}`)]).toEqual([
    'shared',
    'own',
    'own',
  ]);
  await workspace.write('.cadre-results/new.txt', Buffer.from('new'), undefined);
  await workspace.delete(RESULT, version);
  expect([...server.objects.keys()].sort()).toEqual([
    'own/.cadre-results/new.txt',
    'own/a.md',
    `shared/${RESULT}`,
    'shared/a.md',
    'shared/docs/b.md',
  ]);
});
