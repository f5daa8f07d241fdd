import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initProject } from '../../../src/doors/cli/commands/init.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('the tests of a new project pass', async () => {
  const io = recordedIo(await tempFolder());
  await initProject('shop', { template: 'minimal' }, io);
  const shop = join(io.cwd, 'shop');
  await symlink(join(ROOT, 'node_modules'), join(shop, 'node_modules'));
  // The package is not built in full here: its sources stand in for it. `npm run package-test` tries all of it.
  const config = join(import.meta.dirname, '../../fixtures/own-project.config.ts');
  const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, '--root', shop];
  const env = { PATH: process.env['PATH'], HOME: io.cwd, NO_COLOR: '1' };
  const out = execFileSync(process.execPath, vitest, { cwd: shop, env, encoding: 'utf8' });
  expect(out).toMatch(/Tests +2 passed/);
});
