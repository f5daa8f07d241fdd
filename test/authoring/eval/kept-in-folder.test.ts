import { mkdtemp, readdir, rm, stat, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keptInFolder } from '../../../src/authoring/eval/kept-in-folder.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const DAY_MS = 86_400_000;

test('an evaluation that begins removes what others have kept for more than 30 days', async () => {
  const answer = '{"run":"top-00000000000001"}';
  const cwd = await tempFolder({
    '.cadre/evals/cache/old.json': answer,
    '.cadre/evals/cache/new.json': answer,
    '.cadre/evals/workspaces/top-00000000000001/x.txt': 'x',
    '.cadre/evals/reports/old.json': '{}',
  });
  const now = Date.now();
  const age = async (path: string, days: number) => {
    const at = new Date(now - days * DAY_MS);
    await utimes(join(cwd, '.cadre/evals', path), at, at);
  };
  await age('cache/old.json', 31);
  await age('cache/new.json', 29);
  await age('workspaces/top-00000000000001', 31);
  await age('reports/old.json', 31);
  const session = await keptInFolder(cwd).begin('digest', 'x.toml', now);
  const names = async (folder: string) => readdir(join(cwd, '.cadre/evals', folder));
  expect([await names('cache'), await names('workspaces'), await names('reports')]).toEqual([
    ['new.json'],
    [],
    [`${session.id}.jsonl`],
  ]);
});

test('an evaluation that was broken off goes on, and begins anew where its folder is gone or another', async () => {
  const cwd = await tempFolder({});
  const made: string[] = [];
  onTestFinished(async () => {
    for (const each of made) await rm(each, { recursive: true, force: true });
  });
  const begin = async (digest = 'digest') => {
    const session = await keptInFolder(cwd).begin(digest, 'x.toml', Date.now());
    const work = dirname(session.workOf('run'));
    made.push(work);
    return { session, work };
  };
  const first = await begin();
  first.session.begin('one 1', 'top-00000000000001');
  const again = await begin();
  const { id, startedAt } = first.session;
  expect(again).toMatchObject({ work: first.work, session: { id, startedAt } });
  expect([again.session.begun('one 1'), again.session.begun('one 2')]).toEqual([
    'top-00000000000001',
    undefined,
  ]);
  expect((await begin('of another file')).work).not.toBe(first.work);

  await rm(first.work, { recursive: true });
  const anew = await begin();
  expect(anew.session.begun('one 1')).toBeUndefined();
  // Somebody else may have put a link where the folder was.
  const theirs = await mkdtemp(join(tmpdir(), 'theirs-'));
  made.push(theirs);
  await rm(anew.work, { recursive: true });
  await symlink(theirs, anew.work);
  const last = await begin();
  expect([last.work === anew.work, (await stat(last.work)).isDirectory()]).toEqual([false, true]);
});
