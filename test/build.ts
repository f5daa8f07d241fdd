import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

/** Builds the command and the functions, once for all tests that run them. Fast tests run no functions. */
export default function build({ config }: TestProject): void {
  // For those who run many tests again and again, none of them with bundles.
  if (process.env['CADRE_TEST_BUILD'] === 'no') return;
  const targets = config.env['CADRE_TEST_MODE'] === 'fast' ? ['local'] : [];
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build.mjs'), ...targets], {
    stdio: 'inherit',
  });
}
