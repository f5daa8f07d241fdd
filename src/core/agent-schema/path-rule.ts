import { posix } from 'node:path';
import picomatch from 'picomatch';

/**
 * Whether a pattern fits a path of the workspace: `*` and `?` stop at a `/`, `**` does not, and a pattern without a `/`
 * is held against the name alone, in any folder. One that ends in `/` is everything in that folder.
 * @param written the pattern
 */
export function matchesPath(written: string, path: string): boolean {
  const pattern = plainForm(written.replace(/\/$/, '/**'))
    // These mean nothing here, and folders of web projects carry round brackets.
    .replace(/(?<!\\)[()|]/g, '\\$&');
  const normal = plainForm(posix.normalize(path).replace(/\/$/, ''));
  return (
    picomatch.isMatch(normal, posix.normalize(pattern), OPTIONS) ||
    (!pattern.includes('/') && picomatch.isMatch(posix.basename(normal), pattern, OPTIONS))
  );
}

/** A name may have a line break in it, and any text is what `**` stands for. */
const OPTIONS = { dot: true, nonegate: true, noextglob: true, nocase: false, flags: 's' };

/** Some file systems take an accent for a character of its own, and find the same file by either spelling. */
function plainForm(path: string): string {
  return path.normalize('NFC');
}
