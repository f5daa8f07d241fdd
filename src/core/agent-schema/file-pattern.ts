import { posix } from 'node:path';
import picomatch from 'picomatch';
import { ConfigError, messageOf } from '../../errors.ts';
import { compileGlob } from './glob.ts';
import { isPattern } from './is-pattern.ts';

/** One pattern of `files`, ready to be held against paths below the workdir. */
export interface FilePattern {
  matches(path: string): boolean;
  /** Whether anything in this folder can match. */
  mayEnter(folder: string, isLink: boolean): boolean;
}

/**
 * Compiles a pattern: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of folders, including none. `*` and `**`
 * match what people mean by "all": no dot files or dot folders (so no `.env` and no `.git`), no `node_modules`, no
 * links to folders. A pattern that names one of these matches it.
 * @param hidden whether `*` and `**` match these too, except links, because other rules leave files out
 * @throws {ConfigError} `invalid glob pattern "<p>": …`
 */
export function compilePattern(written: string, { hidden = false } = {}): FilePattern {
  // These mean nothing here, and folders of web projects carry round brackets.
  const pattern = posix.normalize(written).replace(/(?<!\\)[()|]/g, '\\$&');
  let matches: (path: string) => boolean;
  try {
    if (written.trim() === '') throw new Error('it is empty');
    checkStars(pattern.split('/'));
    // picomatch names the fault of a pattern. What fits is decided elsewhere, in time that a path cannot stretch.
    picomatch(pattern, { nonegate: true, noextglob: true, strictBrackets: true });
    matches = compileGlob(pattern, { dots: hidden });
  } catch (error) {
    const reason = messageOf(error);
    const lowercase = reason.charAt(0).toLowerCase() + reason.slice(1);
    throw new ConfigError(`invalid glob pattern "${written}": ${lowercase}`, { cause: error });
  }

  const segments = pattern.split('/').filter(Boolean);
  const named = segments.map((segment) => compileGlob(segment, { dots: false }));
  const namesDotFolder = (name: string) => named.some((fits) => fits(name));
  const namesModules = segments.includes('node_modules');
  const maxDepth = pattern.includes('**') ? Infinity : segments.length - 1;
  const firstGlob = segments.findIndex(isPattern);
  const base = segments
    .slice(0, firstGlob === -1 ? undefined : firstGlob)
    .map((segment) => segment.replace(/\\(.)/g, '$1'));

  return {
    matches,
    mayEnter(folder, isLink) {
      const path = folder.split('/');
      if (path.length > maxDepth) return false;
      if (path.length <= base.length) return path.every((name, index) => name === base[index]);
      if (base.some((name, index) => name !== path[index])) return false;
      const name = path[path.length - 1] ?? '';
      if (isLink) return false;
      if (hidden) return true;
      if (name === 'node_modules' && !namesModules) return false;
      return !name.startsWith('.') || namesDotFolder(name);
    },
  };
}

/** More than anybody writes. */
const MAX_STARS = 4;

function checkStars(parts: readonly string[]): void {
  if (parts.filter((part) => part === '**').length > MAX_STARS) {
    throw new Error(`more than ${MAX_STARS} "**"`);
  }
  if (parts.some((part) => (part.match(/(?<!\\)\*+/g) ?? []).length > MAX_STARS)) {
    throw new Error(`more than ${MAX_STARS} "*" in one part`);
  }
}
