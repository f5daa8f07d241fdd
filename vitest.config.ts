import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { ClosingLine } from './test/closing-line.ts';
import { LongestFirst } from './test/longest-first.ts';

// Node.js reads the file that this names at every start. Processes of tests reach nothing that needs it, and there are many.
delete process.env['NODE_EXTRA_CA_CERTS'];

/** Tests whose agents start processes; in a project that begins with them, they have no tiers. */
const EXAMPLES_WITH_PROCESSES = ['examples/{support,research,pipeline,migration,chat}/**'];

/**
 * Most code of fast tests runs a few times only: compiling it once more, to run faster, and collecting what has just been
 * made cost a tenth of their processor time.
 */
const FOR_SHORT_TESTS = ['--interrupt-budget=1000000', '--max-semi-space-size=32'];

// `npm test` has the mode `fast`, which leaves out slow files; `npm run nightly` alone has all files, and properties with
// all their cases (fixtures/nightly.ts, cases.ts).
export default defineConfig(({ mode }) => ({
  // Examples import the package; here, its sources stand in for it.
  resolve: {
    alias: [
      {
        find: /^cadre\/testing$/,
        replacement: join(import.meta.dirname, 'src/doors/library/testing/index.ts'),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/*/test/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...(mode === 'fast' ? ['**/*.slow.test.ts', ...EXAMPLES_WITH_PROCESSES] : []),
      ...(mode === 'nightly' ? [] : ['**/*.nightly.test.ts']),
    ],
    // The SDK announces in each process what it plans; package.json says which Node.js this needs.
    env: { CADRE_TEST_MODE: mode, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    globalSetup: 'test/build.ts',
    setupFiles: ['test/properties.ts'],
    allowOnly: false,
    testTimeout: mode === 'fast' ? 60_000 : 300_000,
    hookTimeout: mode === 'fast' ? 60_000 : 300_000,
    // What is awaited comes soon, but very late on a busy machine.
    expect: { poll: { interval: 5, timeout: 50_000 } },
    // A fresh process for each file costs 0.3 s: files share one and leave nothing behind in it.
    pool: 'forks',
    isolate: false,
    ...(mode === 'fast' && { execArgv: FOR_SHORT_TESTS }),
    // Many tests wait, and slow ones for processes of their own, which need a processor too. Each worker loads everything.
    maxWorkers: Math.ceil((mode === 'fast' ? 2 : 1.5) * availableParallelism()),
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new ClosingLine()],
    // What was compiled is kept for the next run, by its content.
    experimental: { fsModuleCache: true },
  },
}));
