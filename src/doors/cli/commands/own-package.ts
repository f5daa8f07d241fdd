import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import * as v from 'valibot';
import { packageFolder } from '../../../package-folder.ts';
import project from '../../../../package.json' with { type: 'json' };

const SCHEMA = 'schemas/agent.schema.json';

/**
 * The path from a folder to the JSON Schema of agent files, for editors: in the package that is installed there or
 * above, or in a clone around the folder. It leads through `node_modules`, which is there wherever the project is
 * cloned.
 * @param folder absolute
 * @returns undefined if there is neither
 */
export function schemaFrom(folder: string): string | undefined {
  const own = packageFolder();
  for (let above = folder; ; above = dirname(above)) {
    const file = above === own ? join(own, SCHEMA) : join(above, 'node_modules', 'cadre', SCHEMA);
    if (existsSync(file)) return relative(folder, file).split(sep).join('/');
    if (above === dirname(above)) return undefined;
  }
}

/** npm's notes of the packages that it has installed. */
const Lockfile = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ packages: v.record(v.string(), v.object({ resolved: v.optional(v.string()) })) }),
);

/**
 * How a project in `folder` gets the package that this command belongs to: its version or, if it came from a file, that
 * file.
 * @param folder absolute
 */
export function ownSpecification(folder: string): string {
  const own = packageFolder();
  const above = dirname(own);
  if (!above.endsWith('node_modules')) return `file:${relative(folder, own)}`; // a clone
  const file = installedFile(above);
  return file === undefined ? `^${project.version}` : `file:${relative(folder, file)}`;
}

/** The tarball or folder that npm installed the package from; undefined if it was a registry, or is not known. */
function installedFile(modules: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(modules, '.package-lock.json'), 'utf8');
  } catch {
    return undefined; // installed by something other than npm
  }
  const lock = v.safeParse(Lockfile, text);
  const resolved = lock.success ? lock.output.packages['node_modules/cadre']?.resolved : undefined;
  return resolved?.startsWith('file:') ? resolve(modules, '..', resolved.slice('file:'.length)) : undefined;
}
