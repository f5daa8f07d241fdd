// Bundles what runs on a user's machine into dist/, with the page that it serves, and each Lambda function into a
// folder of dist/functions/, from its index.mjs. `local` or `functions` builds that alone: npm 10 runs this script at
// every `npx cadre`, which needs no functions. Says nothing unless something is wrong; `--verbose` lists what came out,
// with sizes.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { consoleOptions, functionOptions, localOptions, root } from './bundle-options.mjs';
import { isUpToDate, rememberBuilt } from './up-to-date.mjs';

/** Of a chunk with so few bytes of our own code, the map is left out: the next frame of a stack trace says as much. */
const LEAST_OWN = 2_000;

const builders = { local: buildLocal, functions: buildFunctions };
const asked = Object.entries(builders).filter(([name]) => process.argv.includes(name));

try {
  await Promise.all((asked.length > 0 ? asked : Object.entries(builders)).map(([, build]) => build()));
} catch (error) {
  // esbuild has printed what is wrong with the sources, each with its place.
  if (!error.errors) throw error;
  process.exitCode = 1;
}

/** Split, so that a command loads only what it uses. */
async function buildLocal() {
  const folders = Object.keys(localOptions.entryPoints).map((entry) => dirname(entry));
  await buildTarget(
    'local',
    [localOptions, consoleOptions],
    [...new Set(folders), 'chunks', 'console'],
    withOneSheet,
  );
}

/** The styles of chunks are also in the one sheet of the page, which comes before any of its views is drawn. */
function withOneSheet(files) {
  return files.filter(({ path }) => !path.endsWith('.css') || basename(path) === 'console.css');
}

/** A folder for each handler, which shares no file with another. Its other files are laid beside it at synth. */
async function buildFunctions() {
  const folder = join(root, 'functions');
  const handlers = existsSync(folder) ? (await readdir(folder)).filter((file) => file.endsWith('.ts')) : [];
  const names = handlers.map((file) => basename(file, '.ts'));
  const bundles = names.map((name) => functionOptions(name, `dist/functions/${name}`));
  await buildTarget('functions', bundles, ['functions'], withLeanMaps);
}

/** Bundles what belongs together into folders of `dist/`, unless it is there already and nothing has changed. */
async function buildTarget(name, bundles, folders, toFiles = (outputs) => outputs) {
  const entries = bundles.flatMap(({ entryPoints }) => Object.values(entryPoints));
  if (isUpToDate(name, entries)) return;
  const startedAt = Date.now();
  // One after another: each takes all processors anyway, and ten at once hold more than a gigabyte of memory.
  const built = [];
  for (const options of bundles) built.push(await build({ ...options, write: false, metafile: true }));
  const outputs = Object.assign({}, ...built.map(({ metafile }) => metafile.outputs));
  const files = toFiles(
    built.flatMap(({ outputFiles }) => outputFiles),
    outputs,
  );
  await replaceContents(folders, files);
  rememberBuilt(name, entries, built, files, startedAt);
}

/**
 * Source maps are for finding lines of our own code, and Node.js reads them whole at a cold start: those of chunks with
 * little of it are left out, and so are names, and the places in packages, in the others.
 */
function withLeanMaps(files, outputs) {
  return files.flatMap((file) => {
    if (!file.path.endsWith('.map')) return [file];
    const { inputs } = outputs[relative(root, file.path.replace(/\.map$/, ''))];
    const own = Object.entries(inputs).filter(([source]) => !isForeign(source));
    if (own.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0) < LEAST_OWN) return [];
    return [{ path: file.path, contents: Buffer.from(JSON.stringify(lean(JSON.parse(file.text)))) }];
  });
}

/**
 * A stretch of packages' code becomes a single segment that leads nowhere; otherwise it would seem to belong to the
 * code before it.
 */
function lean({ mappings, sources, ...map }) {
  const lines = decode(mappings).map((line) => {
    const places = line.map(([column, ...place]) =>
      place.length === 0 || isForeign(sources[place[0]]) ? [column] : [column, ...place.slice(0, 3)],
    );
    return places.filter((place, index) => place.length > 1 || places[index - 1]?.length !== 1);
  });
  const kept = sources.map((source) => (isForeign(source) ? '' : source));
  return { ...map, sources: kept, names: [], mappings: encode(lines) };
}

function isForeign(source) {
  return source.includes('node_modules/');
}

/**
 * Makes the folders of `dist/` hold exactly `files`, each replaced in one step and only if it differs: other commands
 * may be running from the same files.
 */
async function replaceContents(folders, files) {
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
  for (const folder of folders) {
    for (const entry of await readdir(join(root, 'dist', folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const isUnderWay = /\.\d+$/.test(entry.name);
      if (entry.isFile() && !isUnderWay && !current.has(path)) await rm(path, { force: true });
    }
  }
}
