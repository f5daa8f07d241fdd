import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import project from '../../../package.json' with { type: 'json' };
import { initProject } from '../../../src/doors/cli/commands/init.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const installed = vi.hoisted(() => ({ folder: '' }));
vi.mock('../../../src/package-folder.ts', () => ({ packageFolder: () => installed.folder }));

test.each([
  ['file:../cadre-0.1.0.tgz', 'file:../../cadre-0.1.0.tgz'],
  ['https://files.example/cadre-0.1.0.tgz', 'https://files.example/cadre-0.1.0.tgz'],
  ['git+ssh://git@code.example/cadre.git#0123abc', 'git+ssh://git@code.example/cadre.git#0123abc'],
  ['https://registry.npmjs.org/cadre/-/cadre-0.1.0.tgz', `^${project.version}`],
  ['https://code.example/api/v4/packages/npm/cadre/-/cadre-0.1.0.tgz', `^${project.version}`],
  [undefined, `^${project.version}`],
])('a new project gets the package from where npm has: %s', async (resolved, expected) => {
  const own = 'node_modules/cadre';
  const cwd = await tempFolder({
    'node_modules/.package-lock.json': JSON.stringify({ packages: { [own]: { resolved } } }),
    [`${own}/agents`]: { linkTo: join(ROOT, 'agents') },
    [`${own}/templates`]: { linkTo: join(ROOT, 'templates') },
  });
  installed.folder = join(cwd, own);
  await initProject('shop', { template: 'minimal' }, recordedIo(cwd));
  const { dependencies } = JSON.parse(await readFile(join(cwd, 'shop/package.json'), 'utf8'));
  expect(dependencies.cadre).toBe(expected);
});
