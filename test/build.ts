import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds the command and the functions, once for all tests that run them. */
export default function build(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build.mjs')], { stdio: 'inherit' });
}
