import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const tools = join(import.meta.dirname, '../tools');

/** Where the tools are once they are installed. */
export const installed = join(tools, 'node_modules');

/** Installs what tools/package.json names, unless those very versions are there. */
export function installTools() {
  const { devDependencies } = readJson(join(tools, 'package.json'));
  const isInstalled = Object.entries(devDependencies).every(([name, version]) => {
    const manifest = join(installed, name, 'package.json');
    return existsSync(manifest) && readJson(manifest).version === version;
  });
  if (isInstalled) return;
  const quietly = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const { status, error } = spawnSync('npm', ['install', ...quietly], { cwd: tools, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exitCode = 1;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
