import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A file or folder of the package that this module is a part of, wherever it was bundled to.
 * @param path relative to the package's folder: that of the nearest package.json
 * @throws {Error} if the package is not complete: a fault of its build, or of an app that was bundled with it
 */
export function packageFile(path: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  const file = join(folder, path);
  if (existsSync(file)) return file;
  throw new Error(
    `cadre is not complete: there is no ${file}; build it (npm run build), and leave cadre out of bundles of your own`,
  );
}
