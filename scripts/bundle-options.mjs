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
  // The AWS SDK is part of Lambda's runtime, and the command loads it from node_modules when it needs it;
  // lmdb looks for its native binary beside its own files.
  external: ['@aws-sdk/*', 'lmdb'],
  mainFields: ['module', 'main'],
  // CommonJS packages ask for Node's own modules with `require`, which an ES module lacks.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  logLevel: 'warning',
};
