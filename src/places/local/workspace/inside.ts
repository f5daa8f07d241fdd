import nodePath from 'node:path';

/** The rules of a platform for its paths: `path.posix` or `path.win32`. */
export type PathRules = Pick<typeof nodePath, 'isAbsolute' | 'relative' | 'sep'>;

/** Whether a path is that of a folder or lies below it. @param real of both, links are followed already */
export function isInside(real: string, root: string, rules: PathRules = nodePath): boolean {
  const way = rules.relative(root, real);
  return way !== '..' && !way.startsWith(`..${rules.sep}`) && !rules.isAbsolute(way);
}

/**
 * The path of an entry in a workspace, as agents and their permissions have it: parted by slashes on every platform.
 * @param real as above, in the root
 */
export function wayIn(root: string, real: string, rules: PathRules = nodePath): string {
  return rules.relative(root, real).replaceAll(rules.sep, '/');
}
