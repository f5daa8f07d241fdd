import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ownSearchPath } from '../../../tools/reach/search-path.ts';

/**
 * The path of a program, by its name.
 * @param searchPath as in PATH
 * @param folder absolute: the folder in which agents work, where a program may be hostile
 */
export function findProgram(name: string, searchPath: string, folder: string): string | undefined {
  return ownSearchPath(searchPath, folder)
    .split(delimiter)
    .filter((each) => each !== '')
    .map((each) => join(each, `${name}${ENDING}`))
    .find(isExecutable);
}

/** Windows starts files of any other kind through a shell, which parses their arguments again. */
const ENDING = process.platform === 'win32' ? '.exe' : '';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
