import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The folder of the package that this code is a part of: a clone, or one in `node_modules`. */
export function packageFolder(): string {
  return (folder ??= dirname(createRequire(import.meta.url).resolve('cadre/package.json')));
}

/** Looked up when it is first asked for: few commands ask. */
let folder: string | undefined;
