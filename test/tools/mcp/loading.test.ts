import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The sources that a function loads when it starts: what it imports by `import()` is left out. */
async function loadedAtOnce(name: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: join(import.meta.dirname, '../../..'),
    entryPoints: { index: `functions/${name}.ts` },
    outdir: 'out',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    write: false,
    metafile: true,
  });
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const each of metafile.outputs[path]?.imports ?? []) {
      if (each.kind === 'import-statement') load(each.path);
    }
  };
  load('out/index.js');
  return [...loaded].flatMap((path) => [path, ...Object.keys(metafile.outputs[path]?.inputs ?? {})]);
}

test.each(['open', 'tool', 'turn'])(
  'the function "%s" loads the client of the protocol only to reach a server',
  async (name) => {
    const sources = await loadedAtOnce(name);
    expect(sources).toContain(`functions/${name}.ts`);
    expect(sources.filter((path) => /modelcontextprotocol|src\/mcp\/client/.test(path))).toEqual([]);
  },
);
