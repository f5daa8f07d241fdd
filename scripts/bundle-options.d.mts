import type { BuildOptions, Plugin } from 'esbuild';

/** What bundles leave outside, and how packages are changed in them, is always said. */
type Options = BuildOptions & { external: string[]; plugins: Plugin[] };

export const root: string;
export const bundleOptions: Options;
export const localOptions: Options;
export function functionOptions(name: string, outdir: string): Options;
