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

/** Where registries keep the tarballs of a package. */
const IN_REGISTRY = '/cadre/-/cadre-';

/**
 * How a project in `folder` gets the package that this command belongs to: its version or, if it came from a file or
 * an address outside of a registry, that one.
 * @param folder absolute
 * @param own the package's folder
 */
export function ownSpecification(folder: string, own: string = packageFolder()): string {
  const above = dirname(own);
  if (!above.endsWith('node_modules')) return `file:${relative(folder, own)}`; // a clone
  const origin = originIn(above);
  if (origin === undefined || origin.includes(IN_REGISTRY)) return `^${project.version}`;
  if (!origin.startsWith('file:')) return origin;
  return `file:${relative(folder, resolve(above, '..', origin.slice('file:'.length)))}`;
}

/** Where npm installed the package from; undefined if that is not known: it takes no notes of global packages. */
function originIn(modules: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(join(modules, '.package-lock.json'), 'utf8');
  } catch {
    return undefined;
  }
  const lock = v.safeParse(Lockfile, text);
  return lock.success ? lock.output.packages['node_modules/cadre']?.resolved : undefined;
}
