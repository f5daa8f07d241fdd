import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

describe("Bedrock's SDK", () => {
  it.each(['src/doors/cli/main.ts', 'functions/turn.ts'])('is loaded on demand only by %s', async (entry) => {
    const { metafile } = await build({
      entryPoints: [entry],
      outdir: 'dist',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      metafile: true,
      write: false,
    });
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    const ofBedrock = imports.filter(({ path }) => path === '@aws-sdk/client-bedrock-runtime');
    expect(new Set(ofBedrock.map(({ kind }) => kind))).toEqual(new Set(['dynamic-import']));
  });
});
