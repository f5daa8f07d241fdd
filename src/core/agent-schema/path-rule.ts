import { posix } from 'node:path';
import { compileGlob } from './glob.ts';

/**
 * Whether a pattern fits a path of the workspace: `*` and `?` stop at a `/`, `**` does not, and a pattern without a `/`
 * is matched against the name alone, in any folder. One that ends in `/` means everything in that folder.
 * @param written the pattern
 */
export function matchesPath(written: string, path: string): boolean {
  const pattern = plainForm(written.replace(/\/$/, '/**'));
  const normal = plainForm(posix.normalize(path).replace(/\/$/, ''));
  return (
    compileGlob(posix.normalize(pattern), DOTS)(normal) ||
    (!pattern.includes('/') && compileGlob(pattern, DOTS)(posix.basename(normal)))
  );
}

const DOTS = { dots: true };

/** Some file systems take an accent for a character of its own, and find the same file by either spelling. */
function plainForm(path: string): string {
  return path.normalize('NFC');
}
