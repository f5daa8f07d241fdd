import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { argv, execPath, exit } from 'node:process';
import { planting } from './planted.mjs';

// Everything in one file, in which nothing is loaded late: the order of what happens depends on nothing else then.

const root = join(import.meta.dirname, '..');
const folder = join(root, 'node_modules/.cache/simulate');
mkdirSync(folder, { recursive: true });
const given = argv.slice(2);
const at = given.indexOf('--plant');
const [, planted] = at < 0 ? [] : given.splice(at, 2);
const outfile = join(folder, `${planted ?? 'main'}.mjs`);
await build({
  entryPoints: [join(import.meta.dirname, 'main.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  outfile,
  external: ['vitest', '@lmdb/*', '@aws-sdk/*'],
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  plugins: planted === undefined ? [] : [planting(root, planted)],
  sourcemap: true,
  logLevel: 'error',
});
const { status } = spawnSync(execPath, ['--enable-source-maps', outfile, ...given], {
  stdio: 'inherit',
});
exit(status ?? 1);
