import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import lmdb from '../../../node_modules/lmdb/package.json' with { type: 'json' };
import project from '../../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../../..');

test('the package depends on the binaries of the very lmdb that is bundled, and on nothing else', () => {
  expect(project.optionalDependencies).toEqual(lmdb.optionalDependencies);
  expect(project).not.toHaveProperty('dependencies');
});

test('npm sees no script that it would have to run where the package is installed', () => {
  // It runs `prepare` of packages that come from no registry, and warns of it; `postprepare` is for a clone alone.
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
    expect(Object.keys(project.scripts)).not.toContain(script);
  }
});

test('the exports of the package are built', () => {
  for (const entry of Object.values(project.exports)) {
    const file = typeof entry === 'string' ? entry : entry.default;
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
  }
});

test('importing the package does nothing but load it', async () => {
  const library = await import(join(ROOT, project.exports['.'].default));
  expect(Object.keys(library).sort()).toEqual([
    'AgentError',
    'AnsweredError',
    'ConfigError',
    'MissingKeyError',
    'ModelError',
    'RunError',
    'StoreError',
    'StoreUnavailableError',
    'openCadre',
    'runAgent',
  ]);
});
