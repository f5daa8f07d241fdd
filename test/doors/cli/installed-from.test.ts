import { join } from 'node:path';
import { expect, test } from 'vitest';
import project from '../../../package.json' with { type: 'json' };
import { ownSpecification } from '../../../src/doors/cli/commands/own-package.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

test.each([
  ['file:../cadre-0.1.0.tgz', 'file:../../cadre-0.1.0.tgz'],
  ['https://files.example/cadre-0.1.0.tgz', 'https://files.example/cadre-0.1.0.tgz'],
  ['git+ssh://git@code.example/cadre.git#0123abc', 'git+ssh://git@code.example/cadre.git#0123abc'],
  ['https://registry.npmjs.org/cadre/-/cadre-0.1.0.tgz', `^${project.version}`],
  ['https://code.example/api/v4/packages/npm/cadre/-/cadre-0.1.0.tgz', `^${project.version}`],
  [undefined, `^${project.version}`],
])('a new project gets the package from where npm has: %s', async (resolved, expected) => {
  const own = 'node_modules/cadre';
  const packages = { [own]: { resolved } };
  const cwd = await tempFolder({ 'node_modules/.package-lock.json': JSON.stringify({ packages }) });
  expect(ownSpecification(join(cwd, 'shop'), join(cwd, own))).toBe(expected);
});
