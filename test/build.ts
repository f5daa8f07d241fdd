import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds the command and the functions, once for all tests that run them. */
export default function build(): void {
  // For those who run many tests again and again, none of them with bundles.
  if (process.env['CADRE_TEST_BUILD'] === 'no') return;
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build.mjs')], { stdio: 'inherit' });
}
