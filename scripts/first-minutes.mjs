// Walks what the docs tell a newcomer to type, on this machine as it is, and says how many commands and seconds lie before
// the first answer, and before the tests of a new project are green. Fails for a command that fails, and for a warning: a
// newcomer can do nothing about those. The package is packed first, which does not count.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from './bundle-options.mjs';

const folder = mkdtempSync(join(tmpdir(), 'cadre-first-minutes-'));
/** The user's own configuration, keys and accounts are absent; npm's settings and cache are the machine's. */
const env = {
  PATH: process.env.PATH,
  HOME: join(folder, 'home'),
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? folder, '.npm'),
  npm_config_userconfig: process.env.npm_config_userconfig ?? join(process.env.HOME ?? folder, '.npmrc'),
};

mkdirSync(env.HOME);
const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', folder], {
  cwd: root,
  encoding: 'utf8',
});
const tarball = join(folder, packed.stdout.trim().split('\n').at(-1));
const inPackage = firstCommands('docs/package.md').map((command) =>
  command.replace(/\S+\.tgz$/, JSON.stringify(tarball)),
);
const isTest = (command) => command === 'npm test';

walk('clone to first answer', [
  `git clone --quiet ${JSON.stringify(root)} cadre`,
  'cd cadre',
  ...firstCommands('README.md'),
]);
walk(
  'package to first answer',
  inPackage.filter((command) => !isTest(command)),
);
walk(
  'cadre init to green tests',
  inPackage.slice(
    inPackage.findIndex((command) => command.includes('cadre init')),
    inPackage.findIndex(isTest) + 1,
  ),
  inPackage.slice(0, 1),
);
if (!process.exitCode) rmSync(folder, { recursive: true, force: true });

/** The commands of the first block of a page that is for a shell. */
function firstCommands(page) {
  const [, block] = /^```sh\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, page), 'utf8'));
  return block.trim().split(/\n| && /);
}

/** Types commands one after another, beginning in an empty folder. @param before those that are there to begin with */
function walk(what, commands, before = []) {
  let cwd = mkdtempSync(join(folder, 'walk-'));
  const type = (command) => {
    if (command.startsWith('cd ')) {
      cwd = resolve(cwd, command.slice('cd '.length));
      return;
    }
    const { status, stdout, stderr } = spawnSync(command, { cwd, env, encoding: 'utf8', shell: true });
    const warnings = `${stdout}${stderr}`.split('\n').filter((line) => /\bwarn/i.test(line));
    if (status === 0 && warnings.length === 0) return;
    process.exitCode = 1;
    const said = status === 0 ? warnings.join('\n') : `${stdout}${stderr}`;
    console.error(`${command}: ${status === 0 ? 'warns' : `failed with ${status}`} (${cwd})\n${said}`);
  };
  before.forEach(type);
  const began = performance.now();
  commands.forEach(type);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${what}: ${commands.length} commands, ${seconds} s`);
}
