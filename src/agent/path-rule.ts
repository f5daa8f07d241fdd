import { posix } from 'node:path';
import picomatch from 'picomatch';

/**
 * Whether a pattern fits a path of the workspace: `*` and `?` stop at a `/`, `**` does not, and a pattern without a `/`
 * is held against the name alone, in whatever folder it is.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const options = { dot: true, nonegate: true, noextglob: true, nocase: false };
  const normal = posix.normalize(path).replace(/\/$/, '');
  return (
    picomatch.isMatch(normal, posix.normalize(pattern), options) ||
    (!pattern.includes('/') && picomatch.isMatch(posix.basename(normal), pattern, options))
  );
}
