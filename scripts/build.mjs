// Bundles the command into dist/cli/ and each Lambda function into a folder of dist/functions/, from its index.mjs.
// Says nothing unless something is wrong; `--verbose` lists what came out, with sizes.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions, root } from './bundle-options.mjs';

const common = { ...bundleOptions, write: false };

try {
  const built = await Promise.all([buildCommand(), buildFunctions()]);
  await replaceContents(
    join(root, 'dist'),
    built.flatMap(({ outputFiles }) => outputFiles),
  );
} catch (error) {
  // esbuild has printed what is wrong with the sources, each with its place.
  if (!error.errors) throw error;
  process.exitCode = 1;
}

/** Split, so that a command loads only what it uses. */
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

/**
 * A folder for each handler, which shares no file with another; split, so that a cold start reads only what every call
 * needs. What else a function deploys is laid beside it at synth.
 */
async function buildFunctions() {
  const folder = join(root, 'functions');
  const handlers = existsSync(folder) ? (await readdir(folder)).filter((file) => file.endsWith('.ts')) : [];
  const built = await Promise.all(
    handlers.map((file) =>
      build({
        ...common,
        entryPoints: { index: `functions/${file}` },
        outdir: `dist/functions/${basename(file, '.ts')}`,
        outExtension: { '.js': '.mjs' },
        splitting: true,
        chunkNames: 'chunks/[name]-[hash]',
        minify: true,
        target: 'node24',
      }),
    ),
  );
  return { outputFiles: built.flatMap(({ outputFiles }) => outputFiles) };
}

/**
 * Makes `folder` hold exactly `files`, each replaced in one step and only if it differs: npm 10 runs this
 * script at every `npx cadre`, while other commands may be running from the same files.
 */
async function replaceContents(folder, files) {
  for (const { path, contents } of files) {
    if (process.argv.includes('--verbose') && !path.endsWith('.map')) {
      console.log(`${(contents.length / 1024).toFixed(1).padStart(8)} KB  ${relative(root, path)}`);
    }
    if (existsSync(path) && (await readFile(path)).equals(contents)) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.${process.pid}`, contents);
    await rename(`${path}.${process.pid}`, path);
  }
  const current = new Set(files.map(({ path }) => path));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isUnderWay = /\.\d+$/.test(entry.name);
    if (entry.isFile() && !isUnderWay && !current.has(path)) await rm(path, { force: true });
  }
}
