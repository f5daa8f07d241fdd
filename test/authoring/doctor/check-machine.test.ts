import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { checkMachine } from '../../../src/authoring/doctor/check-machine.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { anOpened, aRun } from '../../fixtures/records.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

afterEach(() => void vi.unstubAllEnvs());

/** What is found in a folder, by what it is about. */
async function found(cwd: string, settings: { trusted?: string[]; isTrusted?: boolean } = {}) {
  const findings = await checkMachine(cwd, { trusted: [], isTrusted: false, perDay: {}, ...settings });
  return new Map(findings.map(({ what, ...finding }) => [what, finding]));
}

test('a machine without programs lacks what they are for', async () => {
  vi.stubEnv('PATH', await tempFolder({}));
  const findings = await found(await tempFolder({}));
  expect([
    findings.has('chromium'),
    findings.get('git'),
    findings.get('esbuild'),
    findings.get('trust'),
  ]).toEqual([
    false,
    {
      state: 'warning',
      found: 'not found',
      advice: 'agents cannot read the history of a repository: install git',
    },
    {
      state: 'warning',
      found: 'not installed here',
      advice: 'functions that are modules fail, here and when deployed: npm install -D esbuild',
    },
    {
      state: 'ok',
      found: 'agents reach this folder alone, and start no servers or modules until you run cadre trust',
    },
  ]);
  expect(findings.get('store')).toEqual({ state: 'ok', found: 'no runs in this folder yet' });
  expect(findings.get('Node.js')).toEqual({ state: 'ok', found: process.versions.node });
});

test('a clone of this project is also looked at for the browser of its tests', async () => {
  const bin = await tempFolder({ git: '#!/bin/sh\necho git version 9\necho more\n', 'google-chrome': '' });
  await chmod(join(bin, 'git'), 0o755);
  const clone = {
    'package.json': '{"name": "cadre"}',
    'test/doors/console/a.ts': '',
    'node_modules/esbuild/index.js': '',
    'inner/a': '',
  };
  const cwd = await tempFolder(clone);
  vi.stubEnv('PATH', bin);
  const findings = await found(cwd, { trusted: ['../a', '../b'], isTrusted: true });
  expect(['chromium', 'git', 'esbuild', 'trust'].map((what) => findings.get(what))).toEqual([
    { state: 'ok', found: join(bin, 'google-chrome') },
    { state: 'ok', found: 'git version 9' },
    { state: 'ok', found: 'installed' },
    { state: 'ok', found: 'agents may lead to ../a, ../b, and may start servers and modules' },
  ]);
  expect((await found(join(cwd, 'inner'))).get('esbuild')).toEqual({ state: 'ok', found: 'installed' });
  vi.stubEnv('PATH', await tempFolder({}));
  expect((await found(cwd)).get('chromium')).toEqual({
    state: 'warning',
    found: 'not found',
    advice: 'the tests of the page are left out: install chromium',
  });
  const others = [
    { ...clone, 'package.json': '{"name": "other"}' },
    { ...clone, 'package.json': 'odd' },
    { 'package.json': '{"name": "cadre"}' },
    { 'test/doors/console/a.ts': '' },
  ];
  for (const other of others) expect((await found(await tempFolder(other))).has('chromium')).toBe(false);
});

test('trees that no process carries are told of, with what goes on with the first', async () => {
  const cwd = await tempFolder({});
  const { runs, close } = await openLocalStore(cwd);
  expect((await found(cwd)).get('store')).toEqual({ state: 'ok', found: '0 trees under way' });
  const id = 'top-00000000000001';
  await runs.insertRun(aRun({ id, root: id }));
  await runs.saveOpened(id, anOpened({ root: id }));
  await close();
  expect((await found(cwd)).get('store')).toEqual({
    state: 'warning',
    found: 'no process carries 1 tree under way',
    advice: `cadre resume ${id}`,
  });
});
