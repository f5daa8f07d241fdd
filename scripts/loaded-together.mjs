import { access, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

/**
 * The parts of what runs on a user's machine that are loaded together, each by the files that it begins with: it is all
 * that these import, unless an earlier part has it.
 */
const PARTS = {
  command: ['src/doors/cli/main.ts'],
  look: [
    'src/authoring/loading/open-environment.ts',
    'src/places/local/open-folder.ts',
    'src/authoring/loading/local-sources.ts',
  ],
  interpret: ['src/asl/create-state-machines.ts'],
  turn: ['src/core/turn/turn.ts', 'src/core/records/timeline.ts'],
  lifecycle: ['src/core/lifecycle/open.ts', 'src/core/lifecycle/settle.ts', 'src/core/lifecycle/control.ts'],
  carry: [
    'src/doors/cli/commands/run.ts',
    'src/places/start-recorded.ts',
    'src/places/local/local-pipeline.ts',
    'src/places/local/local-carrier.ts',
  ],
  tools: [
    'src/tools/built-in.ts',
    'src/tools/delegation/delegate-task.ts',
    'src/tools/delegation/spawn-agent.ts',
    'src/tools/delegation/sub-agent.ts',
    'src/tools/ask-user.ts',
    'src/tools/agents/fork.ts',
    'src/tools/agents/wait.ts',
  ],
};

/**
 * Puts each part into one file. Without this, esbuild makes a file of each set of modules that the same entries need, and
 * all that is imported late is an entry: a run would load its modules from 177 files, which takes longer than running
 * them.
 *
 * An entry that needs any module of a part is made to import the whole part, so that the same entries need all of it. In
 * front of one that others import at once is a module that does: some of these may be in such a part, and need the entry
 * evaluated before them.
 */
export const loadedTogether = {
  name: 'loaded-together',
  async setup({ initialOptions, onLoad, onResolve }) {
    const root = initialOptions.absWorkingDir;
    // A file that is gone would quietly take its part with it.
    await Promise.all(
      Object.values(PARTS)
        .flat()
        .map((path) => access(join(root, path))),
    );
    const { alone, shared, neededBy } = await graphOf(initialOptions);
    const parts = partsIn(neededBy, alone);

    onResolve({ filter: /^together:/ }, ({ path }) => ({ path, namespace: 'together' }));
    onLoad({ filter: /.*/, namespace: 'together' }, ({ path }) => ({
      contents: parts.get(path).map(toImport).join(''),
      resolveDir: root,
    }));
    const importsOfParts = (entry) => partsNeededBy([entry]).map(toImport).join('');
    // A part may need modules of others that the entry does not: it would be all of these that the entry loads, too.
    const partsNeededBy = (paths) => {
      const needed = neededBy(paths);
      const names = [...parts.keys()].filter((name) => parts.get(name).some((each) => needed.has(each)));
      const all = names.flatMap((name) => parts.get(name));
      return all.every((path) => needed.has(path)) ? names : partsNeededBy([...paths, ...all]);
    };
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' && shared.has(relative(root, join(resolveDir, path)))
        ? { path: join(resolveDir, path), namespace: 'late' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `export * from ${JSON.stringify(path)};\n${importsOfParts(relative(root, path))}`,
      resolveDir: root,
    }));
    onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path }) => {
      const entry = relative(root, path);
      if (!alone.has(entry)) return undefined;
      return { contents: `${await readFile(path, 'utf8')}\n${importsOfParts(entry)}`, loader: 'ts' };
    });
  },
};

/** The files that are loaded by themselves, those that others import at once as well, and all that is loaded with some. */
async function graphOf(options) {
  const plugins = options.plugins.filter((plugin) => plugin !== loadedTogether);
  // No part holds modules of packages, and without them esbuild is done in a third of the time.
  const graph = { ...options, plugins, packages: 'external', sourcemap: false, metafile: true, write: false };
  const { metafile } = await build(graph);
  const importsOf = (path, isLate) =>
    (metafile.inputs[path]?.imports ?? [])
      .filter(({ kind, external }) => !external && (kind === 'dynamic-import') === isLate)
      .map((each) => each.path);
  const late = Object.keys(metafile.inputs).flatMap((path) => importsOf(path, true));
  const atOnce = new Set(Object.keys(metafile.inputs).flatMap((path) => importsOf(path, false)));
  return {
    alone: new Set([...Object.values(options.entryPoints), ...late.filter((path) => !atOnce.has(path))]),
    shared: new Set(late.filter((path) => atOnce.has(path))),
    neededBy(paths) {
      const needed = new Set(paths.filter((path) => metafile.inputs[path] !== undefined));
      for (const path of needed) for (const each of importsOf(path, false)) needed.add(each);
      return needed;
    },
  };
}

/** The modules of ours in each part. Packages come with those that import them. */
function partsIn(neededBy, alone) {
  const parts = new Map();
  const known = new Set(alone);
  for (const [name, first] of Object.entries(PARTS)) {
    const own = [...neededBy(first)].filter((path) => path.startsWith('src/') && !known.has(path));
    for (const path of own) known.add(path);
    parts.set(`together:${name}`, own);
  }
  return parts;
}

const toImport = (path) => `import ${JSON.stringify(path.startsWith('src/') ? `./${path}` : path)};\n`;
