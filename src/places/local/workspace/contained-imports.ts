import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Plugin } from 'esbuild';
import { homeFolder } from '../home-folder.ts';
import { fileFault } from './file-fault.ts';
import { isInside } from './inside.ts';

/**
 * Restricts the imports of a module to its project and to installed packages. The bundle is deployed, and its author
 * may not be its user: it must neither take along the user's other files nor wait at a pipe.
 * @param root absolute: the folder that contains agents/
 */
export function containedImports(root: string): Plugin {
  const project = projectAround(realpathSync(root));
  return {
    name: 'contained-imports',
    setup(build) {
      build.onLoad({ filter: /(?:)/, namespace: 'file' }, ({ path }) => {
        const fault = faultOf(path, project);
        return fault === undefined ? undefined : { errors: [{ text: `cannot import ${path}: ${fault}` }] };
      });
    },
  };
}

function faultOf(path: string, project: string): string | undefined {
  try {
    const real = realpathSync(path);
    const isInstalled = real.split(sep).includes('node_modules');
    if (!isInstalled && !isInside(real, project)) return `it is no package, and lies outside of ${project}`;
    return statSync(real).isFile() ? undefined : 'it is not a regular file';
  } catch (error) {
    return fileFault(error);
  }
}

/** The repository that a folder is in, whose parts may import each other; else the folder. */
function projectAround(root: string): string {
  const home = homeFolder(process.env);
  for (let each = root; each !== dirname(each) && !isInside(home, each); each = dirname(each)) {
    if (existsSync(join(each, '.git'))) return each;
  }
  return root;
}
