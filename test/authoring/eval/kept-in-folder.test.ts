import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
