import type { BuildFailure, build, Metafile, StdinOptions } from 'esbuild';
import { containedImports } from './contained-imports.ts';
import { ConfigError } from '../../../errors.ts';

export interface BundleOptions {
  /** Absolute: the folder that paths in messages are relative to. */
  root: string;
  /** The module of a function by its absolute path, or the text of any. */
  entry: string | StdinOptions;
  target: 'node20' | 'node24';
}

/**
 * Makes one file of a module with everything that it imports, in JavaScript. A module that runs here and one that is
 * deployed are bundled alike. Imports lead out of the project only to packages.
 * @throws {ConfigError} with file, line and column of a fault in it, such as a function's module without a handler, or
 * if esbuild is not installed
 */
export async function bundleModule({ root, entry, target }: BundleOptions): Promise<string> {
  const bundle = await loadEsbuild();
  try {
    const { outputFiles, metafile } = await bundle({
      ...(typeof entry === 'string' ? { entryPoints: [entry] } : { stdin: entry }),
      absWorkingDir: root,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target,
      mainFields: ['module', 'main'],
      // CommonJS packages ask for Node's own modules with `require`, which an ES module lacks.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
      sourcemap: 'inline',
      sourcesContent: false,
      write: false,
      metafile: true,
      plugins: [containedImports(root)],
      logLevel: 'silent',
    });
    if (typeof entry === 'string') assertHandler(metafile);
    return outputFiles[0]?.text ?? '';
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    const lines = error.errors.map(({ text, location }) =>
      location === null
        ? text
        : `${location.file}:${location.line}:${location.column + 1}: ${text}${missingPackage(text)}`,
    );
    throw new ConfigError(lines.join('\n'), { cause: error });
  }
}

/** What to do about an import that leads nowhere: anything that is not a path is a package. */
function missingPackage(text: string): string {
  const [, name] = /^Could not resolve "((?:@[^"/]+\/)?[^"./@][^"/:]*)[^":]*"$/.exec(text) ?? [];
  return name === undefined ? '' : `; is it installed? npm install ${name}`;
}

/** For CommonJS this is not known before it runs. @throws {ConfigError} if the module exports no handler */
function assertHandler({ inputs, outputs }: Metafile): void {
  for (const { entryPoint = '', exports } of Object.values(outputs)) {
    if (exports.includes('handler') || inputs[entryPoint]?.format === 'cjs') continue;
    throw new ConfigError(`${entryPoint}:1:1: the module exports no function "handler"`);
  }
}

/** The package leaves it to projects that have such modules: it is large, and runs a script when it is installed. */
async function loadEsbuild(): Promise<typeof build> {
  try {
    return (await import('esbuild')).build;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ConfigError('modules need esbuild, which is not installed: npm install --save-dev esbuild', {
      cause: error,
    });
  }
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}
