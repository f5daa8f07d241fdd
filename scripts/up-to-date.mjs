// The inputs and outputs of a target's last build, so that the next one can skip it: `npx cadre` and `npm test` each
// begin with a build, and mostly nothing has changed.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './bundle-options.mjs';

/** The files that every bundle depends on, besides its own. */
const SETTINGS = [
  'package-lock.json',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/bundle-options.mjs',
  'scripts/loaded-together.mjs',
  'scripts/started-together.mjs',
];

/** `npm ci` removes it, and with it all records of bundles made of other packages. */
const folder = join(root, 'node_modules/.cache/cadre');

/**
 * @param target a name for what is built together
 * @param entries files that it begins with
 * @returns whether the last build had the same entries, nothing in it has changed since, and all that came out is there
 */
export function isUpToDate(target, entries) {
  try {
    const last = JSON.parse(readFileSync(recordOf(target), 'utf8'));
    return (
      last.entries.join() === entries.join() &&
      Object.entries(last.inputs).every(([path, stamp]) => stampOf(path) === stamp) &&
      last.outputs.every((path) => stampOf(path) !== undefined)
    );
  } catch {
    return false; // there is no record that can be read
  }
}

/**
 * Remembers a build.
 * @param built esbuild's results, with metafiles
 * @param files those written from it
 * @param startedAt when the build began, in milliseconds: later changes may not be in it
 */
export function rememberBuilt(target, entries, built, files, startedAt) {
  const paths = new Set([...SETTINGS, ...built.flatMap(({ metafile }) => Object.keys(metafile.inputs))]);
  const inputs = {};
  for (const path of [...paths].filter((one) => !one.includes(':'))) {
    if (statSync(join(root, path)).mtimeMs >= startedAt) return;
    inputs[path] = stampOf(path);
  }
  const outputs = files.map(({ path }) => relative(root, path));
  mkdirSync(folder, { recursive: true });
  const draft = `${recordOf(target)}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ entries, inputs, outputs }));
  renameSync(draft, recordOf(target));
}

/** @returns the files that went into a target's last build, relative to the project's folder */
export function inputsOf(target) {
  return Object.keys(JSON.parse(readFileSync(recordOf(target), 'utf8')).inputs);
}

/** When it was changed and how long it is; undefined if it is not there. */
function stampOf(path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  return stats && `${stats.mtimeMs} ${stats.size}`;
}

function recordOf(target) {
  return join(folder, `${target}.json`);
}
