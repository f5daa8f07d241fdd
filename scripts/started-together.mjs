import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

/**
 * Puts what a function loads at its start into one file. Without this, esbuild makes a file of each set of modules that
 * the same late imports need: 57 for the function of turns, and finding and linking them takes a fifth of a cold start.
 * Here, all that is imported late imports what the function does, which is there by then, and so needs the same set.
 */
export const startedTogether = {
  name: 'started-together',
  async setup({ initialOptions, onLoad }) {
    const root = initialOptions.absWorkingDir;
    const { late, started } = await graphOf(initialOptions);
    const imports = started.map((path) => `import ${JSON.stringify(join(root, path))};\n`);
    onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
      if (!late.has(relative(root, path))) return undefined;
      const contents = [await readFile(path, 'utf8'), ...imports].join('\n');
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/** What is imported late, and what of ours a function imports. An import would change what CommonJS modules export. */
async function graphOf(options) {
  const plugins = options.plugins.filter((plugin) => plugin !== startedTogether);
  const graph = { ...options, plugins, minify: false, sourcemap: false, metafile: true, write: false };
  const { metafile } = await build(graph);
  const { inputs } = metafile;
  const late = Object.values(inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ kind, path }) => kind === 'dynamic-import' && inputs[path]?.format === 'esm');
  const started = Object.values(options.entryPoints)
    .flatMap((entry) => inputs[entry].imports)
    .filter(({ kind, path }) => kind === 'import-statement' && path.startsWith('src/'));
  return { late: new Set(late.map(({ path }) => path)), started: started.map(({ path }) => path) };
}
