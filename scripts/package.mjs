// Makes what only the package needs, before it is packed: all bundles, the declarations of what it exports, and the
// licences of everything that is bundled.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { consoleOptions, functionOptions, localOptions, root } from './bundle-options.mjs';
import { installed, installTools } from './tools.mjs';

/** The sources and declarations of each entry of `exports` in package.json. */
const DECLARATIONS = {
  'index.d.ts': 'src/doors/library/index.ts',
  'testing.d.ts': 'src/doors/library/testing/index.ts',
  'cdk.d.ts': 'infra/index.ts',
};

await import('./build.mjs');
installTools();
await rm(join(root, 'dist/types'), { recursive: true, force: true });
await mkdir(join(root, 'dist/types'), { recursive: true });
for (const [file, source] of Object.entries(DECLARATIONS)) {
  const generator = join(installed, 'dts-bundle-generator/dist/bin/dts-bundle-generator.js');
  // They are checked where they are used: npm run package-test.
  const args = ['--no-banner', '--no-check', '--silent', '--project', 'tsconfig.package.json'];
  const output = ['--out-file', `dist/types/${file}`, source];
  const { status } = spawnSync(process.execPath, [generator, ...args, ...output], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}
writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES'), await notices());

/** The licences of the packages that any bundle has parts of. */
async function notices() {
  const handlers = readdirSync(join(root, 'functions')).map((file) => file.replace(/\.ts$/, ''));
  const all = [
    localOptions,
    consoleOptions,
    ...handlers.map((name) => functionOptions(name, `dist/functions/${name}`)),
  ];
  const built = await Promise.all(
    all.map((options) => build({ ...options, write: false, metafile: true, sourcemap: false })),
  );
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
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
