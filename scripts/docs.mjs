// Builds the site of docs/ into site/dist: npm run docs. Its tools have a package.json of their own, and are installed
// here.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const site = join(import.meta.dirname, '../site');
/** The oldest Node.js that the generator runs on, and the one that npm fetches where this one is older. */
const OLDEST = [22, 19];
const FETCHED = 'node@24.21.0';

const installed = join(site, 'node_modules/.package-lock.json');
const isInstalled =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(site, 'package-lock.json')).mtimeMs;
const commands = [
  ...(isInstalled ? [] : ['npm ci --ignore-scripts --no-audit --no-fund --loglevel=error']),
  'npm run --silent build',
];
const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
const fetching = isOld ? `npx --yes --package=${FETCHED}` : 'npm exec';
const { status, error } = spawnSync(`${fetching} --call "${commands.join(' && ')}"`, {
  cwd: site,
  stdio: 'inherit',
  shell: true,
});
if (error) throw error;
process.exitCode = status ?? 1;
