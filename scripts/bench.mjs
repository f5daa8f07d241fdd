// Builds, bundles the benchmark in bench/ as the command is bundled, in parts that are loaded when they are needed, and
// runs it.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { functionOptions, localOptions, root } from './bundle-options.mjs';
import { installed, installTools } from './tools.mjs';

await import('./build.mjs');
installTools();

// Inside the project, where its own package and those that stay outside of the bundle are found.
const folder = join(root, '.cadre/bench');
await build({
  ...localOptions,
  external: [...localOptions.external, '@aws-sdk/*', 'playwright-core'],
  alias: { ai: join(installed, 'ai') },
  entryPoints: ['bench/main.ts'],
  outdir: folder,
  outExtension: { '.js': '.mjs' },
});
// As it would be deployed if it left the AWS SDK to Lambda's runtime.
await build({ ...functionOptions('turn', join(folder, 'turn')), external: ['@aws-sdk/*'] });
const args = [join(folder, 'main.mjs'), ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
