// Bundles the command into dist/cli/ and each Lambda function into dist/functions/<name>/index.mjs.
// Says nothing unless something is wrong; `--verbose` lists what came out, with sizes.
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

process.chdir(join(import.meta.dirname, '..'));
await rm('dist', { recursive: true, force: true });

const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  sourcemap: 'linked',
  // The AWS SDK is in Lambda's runtime, and in node_modules for the command, which loads it on demand;
  // lmdb finds its native binary beside its own files.
  external: ['@aws-sdk/*', '@smithy/*', 'lmdb'],
  mainFields: ['module', 'main'],
  // CommonJS packages ask for Node's own modules with `require`, which an ES module lacks.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
};

const results = await Promise.all([buildCommand(), buildFunctions()]);

if (process.argv.includes('--verbose')) {
  for (const { metafile } of results) {
    for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
      if (!file.endsWith('.map')) console.log(`${(bytes / 1024).toFixed(1).padStart(8)} KB  ${file}`);
    }
  }
}

/** Split, so that a command loads only what it needs. */
function buildCommand() {
  return build({
    ...common,
    entryPoints: { main: 'src/cli/main.ts' },
    outdir: 'dist/cli',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    target: 'node20',
  });
}

/** One self-contained file for each handler: `dist/functions/<name>` is what a function deploys. */
async function buildFunctions() {
  const handlers = existsSync('functions')
    ? (await readdir('functions')).filter((file) => file.endsWith('.ts'))
    : [];
  return build({
    ...common,
    entryPoints: handlers.map((file) => ({ in: `functions/${file}`, out: `${basename(file, '.ts')}/index` })),
    outdir: 'dist/functions',
    outExtension: { '.js': '.mjs' },
    minify: true,
    target: 'node24',
  });
}
