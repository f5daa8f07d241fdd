import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is that of a folder or lies below it. @param real of both, links are followed already */
export function isInside(real: string, root: string): boolean {
  const way = relative(root, real);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
