import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The project's folder. */
export const root = join(import.meta.dirname, '..');

/**
 * lmdb's files and those of the packages below it take as long to find and load as all of ours, so that they are
 * bundled. Its native binary stays where npm put it, and is looked for beside the package instead of the bundle.
 */
const lmdbApartFromItsBinary = {
  name: 'lmdb',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^lmdb$/ }, ({ kind }) =>
      kind === 'require-resolve' ? { path: 'lmdb', external: true } : undefined,
    );
    onLoad({ filter: /[\\/]node_modules[\\/]lmdb[\\/]native\.js$/ }, async ({ path }) => {
      const [before, after] = (await readFile(path, 'utf8')).split('fileURLToPath(import.meta.url)');
      if (after === undefined) throw new Error(`${path} no longer finds its binary as it did`);
      return { contents: `${before}require.resolve('lmdb')${after}` };
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
  // The command loads it from node_modules, when it needs it.
  external: ['@aws-sdk/*', 'esbuild'],
  plugins: [lmdbApartFromItsBinary],
  mainFields: ['module', 'main'],
  // CommonJS packages ask for Node's own modules with `require`, which an ES module lacks.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
};

/**
 * How a function is bundled: split, so that a cold start reads only what every call needs, and with the AWS SDK, which
 * loads in less than half of the time that it takes from many files (docs/bench.md) and is then the one that was tested.
 */
export function functionOptions(name, outdir) {
  return {
    ...bundleOptions,
    entryPoints: { index: `functions/${name}.ts` },
    outdir,
    outExtension: { '.js': '.mjs' },
    external: [],
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    minify: true,
    // Node.js reads the maps whole at every cold start, for the places in stack traces.
    sourcesContent: false,
    target: 'node24',
  };
}
