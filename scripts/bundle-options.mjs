import { join } from 'node:path';

/** The project's folder. */
export const root = join(import.meta.dirname, '..');

/** How everything that runs is bundled; what is measured is bundled in the same way. */
export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  sourcemap: 'linked',
  // The command loads the AWS SDK from node_modules when it needs it; lmdb looks for its native binary beside its own
  // files.
  external: ['@aws-sdk/*', 'lmdb'],
  mainFields: ['module', 'main'],
  // CommonJS packages ask for Node's own modules with `require`, which an ES module lacks.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  logLevel: 'warning',
};

/**
 * How a function is bundled: split, so that a cold start reads only what every call needs, and with the AWS SDK, which
 * loads in a third of the time that it takes from many files (docs/bench.md) and is then the one that was tested.
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
    target: 'node24',
  };
}
