import type { BuildOptions } from 'esbuild';

/** What bundles leave outside is always said. */
type Options = BuildOptions & { external: string[] };

export const root: string;
export const localOptions: Options;
export function functionOptions(name: string, outdir: string): Options;
