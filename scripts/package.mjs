// Makes what only the package needs, before it is packed: all bundles, the declarations of what it exports, and the
// licences of everything that is bundled.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './bundle-options.mjs';
import { installed, installTools } from './tools.mjs';
import { inputsOf } from './up-to-date.mjs';

/** The sources and declarations of each entry of `exports` in package.json. */
const DECLARATIONS = {
  'index.d.ts': 'src/doors/library/index',
  'testing.d.ts': 'src/doors/library/testing/index',
  'cdk.d.ts': 'infra/index',
};
/** Where the declarations of all files lie while those of the entries are put together: `outDir` of the tsconfig. */
const EMITTED = 'dist/declarations';

installTools();
// esbuild works in a process of its own, and so does the compiler: side by side they take two thirds of the time.
await Promise.all([import('./build.mjs'), declare()]);
writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES'), notices());
writeFileSync(join(root, 'dist/functions.json.br'), packed(join(root, 'dist/functions')));

/**
 * Writes the declarations of the entries, one file each. They are merged from declarations, which the native compiler
 * makes in seconds; from sources, every file would be read and checked once for each entry, which takes minutes.
 */
async function declare() {
  for (const folder of [EMITTED, 'dist/types'])
    await rm(join(root, folder), { recursive: true, force: true });
  await mkdir(join(root, 'dist/types'), { recursive: true });
  await run('node_modules/typescript/bin/tsc', ['--project', 'tsconfig.package.json']);
  const bundler = join(installed, 'dts-bundle-generator/dist/bin/dts-bundle-generator.js');
  await Promise.all(
    Object.entries(DECLARATIONS).map(([file, source]) => {
      // They are checked where they are used: npm run package-test.
      const args = ['--no-banner', '--no-check', '--silent', '--project', 'tsconfig.package.json'];
      return run(bundler, [...args, '--out-file', `dist/types/${file}`, `${EMITTED}/${source}.d.ts`]);
    }),
  );
  await rm(join(root, EMITTED), { recursive: true });
}

/** Runs a script of Node.js to its end, and ends with it if it fails. */
async function run(script, args) {
  const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exit(1);
}

/** All files of a folder as JSON, text by path, compressed. infra/packed-functions.ts unpacks them. */
function packed(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const texts = files.map((file) => [
    relative(folder, file).replaceAll('\\', '/'),
    readFileSync(file, 'utf8'),
  ]);
  const { BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS, BROTLI_PARAM_QUALITY } = constants;
  // The eight bundles have much in common, which a window that holds them all finds. A better quality takes 12 s for 12
  // %.
  const params = { [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS, [BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(JSON.stringify(Object.fromEntries(texts)), { params });
}

/** The licences of the packages that any bundle has parts of. */
function notices() {
  const inputs = ['local', 'functions'].flatMap(inputsOf);
  const folders = new Set(
    inputs.flatMap((path) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const byLicence = groupBy([...folders].sort(), licenceOf);
  const blocks = [...byLicence].map(([licence, those]) => `${those.map(nameOf).join('\n')}\n\n${licence}\n`);
  return blocks.join(`\n${'-'.repeat(80)}\n\n`);
}

function nameOf(folder) {
  const { name, version } = manifestOf(folder);
  return `${name} ${version}`;
}

/** The text of its licence or, where it comes with none, the licence's name. */
function licenceOf(folder) {
  const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) return manifestOf(folder).license;
  return readFileSync(join(root, folder, file), 'utf8').trim();
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

function groupBy(all, keyOf) {
  const groups = new Map();
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}
