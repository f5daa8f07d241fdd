import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadedTogether } from './loaded-together.mjs';
import { startedTogether } from './started-together.mjs';

/** The project's folder. */
export const root = join(import.meta.dirname, '..');

/**
 * lmdb is bundled, since its files and those of the packages below it take as long to find and load as all of ours.
 * Its native binaries are packages of their own, one per platform, and are the only dependencies that the package has:
 * so it installs no sources of lmdb and runs no script. Their loader goes by the name in lmdb's package.json, which is
 * not there.
 *
 * What encodes values and keeps them in memory unless lmdb is told otherwise is left out: our values have an encoder of
 * their own, and no cache. It would be a tenth of all that a run loads.
 */
const lmdbApartFromItsBinaries = {
  name: 'lmdb',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(msgpackr|weak-lru-cache)$/ }, ({ path, importer }) =>
      /[\\/]lmdb[\\/]index\.js$/.test(importer) ? { path, namespace: 'unused' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({
      contents: 'export const Encoder = undefined, WeakLRUCache = undefined;',
    }));
    onLoad({ filter: /[\\/]node-gyp-build-optional-packages[\\/]node-gyp-build\.js$/ }, async ({ path }) => {
      const parts = (await readFile(path, 'utf8')).split(
        "runtimeRequire(path.join(dir, 'package.json')).name",
      );
      if (parts.length !== 2) throw new Error(`${path} no longer finds binaries as it did`);
      return { contents: parts.join("'lmdb'") };
    });
  },
};

/**
 * The reader of PDF files is one file of 1.7 MB, already minified, so it is copied. Minifying it again takes esbuild 20
 * s and 700 MB, and makes it no smaller. It is loaded by a thread of its own, to which its place is told.
 */
const pdfReaderAsItIs = {
  name: 'pdfjs',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]unpdf[\\/]dist[\\/]pdfjs\.mjs$/ }, async ({ path }) => ({
      contents: await readFile(path),
      loader: 'file',
    }));
    onLoad({ filter: /[\\/]src[\\/]pdf-reader\.ts$/ }, async ({ path }) => {
      const parts = (await readFile(path, 'utf8')).split("import.meta.resolve('unpdf/pdfjs')");
      if (parts.length !== 2) throw new Error(`${path} no longer names the reader of PDF files as it did`);
      const contents = `import reader from 'unpdf/pdfjs';\n${parts.join('new URL(reader, import.meta.url).href')}`;
      return { contents, loader: 'ts' };
    });
  },
};

/** How everything that runs is bundled; what is measured is bundled in the same way. */
export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  sourcemap: 'linked',
  // It is no dependency: projects with tools in modules have it themselves.
  external: ['esbuild'],
  plugins: [lmdbApartFromItsBinaries, pdfReaderAsItIs],
  mainFields: ['module', 'main'],
  // CommonJS packages ask for Node's own modules with `require`, which an ES module lacks.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  assetNames: 'chunks/[name]-[hash]',
  logLevel: 'warning',
};

/**
 * How all that runs on a user's machine is bundled: in one go, so that the command, the package's exports and the
 * construct share their parts. Each entry is one folder below `dist/`, as the shared parts are.
 */
export const localOptions = {
  ...bundleOptions,
  entryPoints: {
    'cli/main': 'src/doors/cli/main.ts',
    'library/index': 'src/doors/library/index.ts',
    'library/testing': 'src/doors/library/testing/index.ts',
    'cdk/index': 'infra/index.ts',
    'cdk/prepare': 'infra/prepare.ts',
  },
  // CDK is the app's own.
  external: [...bundleOptions.external, 'aws-cdk-lib', 'constructs'],
  outdir: 'dist',
  plugins: [...bundleOptions.plugins, loadedTogether],
  // Names stay as they are, for stack traces; the sources are beside the maps, which are not in the package.
  sourcesContent: false,
  minifySyntax: true,
  minifyWhitespace: true,
  // Node.js shows the line of an uncaught error.
  lineLimit: 120,
  target: 'node20',
};

/**
 * How the page is bundled: a script and one style sheet, beside the document that asks for them, and chunks that the
 * script loads when they are needed. Browsers that are older than the target lack what the styles need.
 */
export const consoleOptions = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'browser',
  entryPoints: { console: 'src/doors/console/main.tsx', index: 'src/doors/console/index.html' },
  loader: { '.html': 'copy' },
  outdir: 'dist/console',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  target: 'es2023',
  logLevel: 'warning',
};

/** The runtime of the function in which commands run, in a container image of the user's. */
const SANDBOX_ENTRY = { bootstrap: 'src/places/aws/sandbox/image-runtime.ts' };

/**
 * How a function is bundled: split, so that a cold start reads only what every call needs, and reads it from one file; and with the AWS SDK, which
 * loads in less than half of the time that it takes from many files (docs/bench.md) and is then the one that was
 * tested.
 */
export function functionOptions(name, outdir) {
  return {
    ...bundleOptions,
    entryPoints: { index: `functions/${name}.ts`, ...(name === 'sandbox' && SANDBOX_ENTRY) },
    outdir,
    outExtension: { '.js': '.mjs' },
    external: [],
    plugins: [...bundleOptions.plugins, startedTogether],
    minify: true,
    // Node.js reads the maps whole at every cold start, for the places in stack traces.
    sourcesContent: false,
    target: 'node24',
  };
}
