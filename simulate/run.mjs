import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { argv, execPath, exit } from 'node:process';
import { bundleOptions, root } from '../scripts/bundle-options.mjs';
import { refuse } from '../scripts/options.mjs';
import { PLANTED, planting } from './planted.mjs';

// Everything in one file, and nothing is loaded late: then the order of events depends on nothing else.

const folder = join(root, 'node_modules/.cache/simulate');
mkdirSync(folder, { recursive: true });
const given = argv.slice(2);
const at = given.indexOf('--plant');
const [, planted] = at < 0 ? [] : given.splice(at, 2);
if (at >= 0 && !Object.hasOwn(PLANTED, planted ?? '')) {
  refuse(`--plant takes one of ${Object.keys(PLANTED).join(', ')}`);
}
const campaign = planted === undefined ? undefined : PLANTED[planted]?.campaign;
const outfile = join(folder, `${planted ?? 'main'}.mjs`);
await build({
  ...bundleOptions,
  splitting: false,
  entryPoints: [campaign === undefined ? 'simulate/main.ts' : 'chaos/main.ts'],
  target: 'node20',
  outfile,
  external: [...bundleOptions.external, 'vitest', 'dynalite', '@lmdb/*', '@aws-sdk/*'],
  plugins: [...bundleOptions.plugins, ...(planted === undefined ? [] : [planting(root, planted)])],
});
if (campaign !== undefined) given.push('--campaign', campaign, '--first');
// Most objects do not outlive their play, and threads that clean up or compile on the side cost more than they save.
const options = [
  '--enable-source-maps',
  '--max-semi-space-size=64',
  '--min-semi-space-size=64',
  '--single-threaded',
  // A fifth of the processor time of a short campaign was optimizing what runs a few times.
  '--interrupt-budget=270000',
];
const { status } = spawnSync(execPath, [...options, outfile, ...given], { stdio: 'inherit' });
exit(status ?? 1);
