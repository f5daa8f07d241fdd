import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A file or folder of the package that this module is a part of, wherever it was bundled to.
 * @param paths relative to the package's folder, that of the nearest package.json: the first that is there
 * @throws {Error} if the package is not complete: a fault of its build, or of an app that was bundled with it
 */
export function packageFile(...paths: [string, ...string[]]): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  const files = paths.map((path) => join(folder, path));
  const file = files.find(existsSync);
  if (file !== undefined) return file;
  throw new Error(
    `cadre is not complete: there is no ${files[0]}; build it (npm run build), and leave cadre out of bundles of your own`,
  );
}
