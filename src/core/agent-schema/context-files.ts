import { ConfigError } from '../../errors.ts';
import { compilePattern } from './file-pattern.ts';
import { readStart, type ReadableFiles } from './workspace.ts';

/** A file that an agent is shown. */
export interface ContextFile {
  /** Relative to the workdir, with `/`. */
  path: string;
  text: string;
}

/** More than any model reads. Above these a pattern was a mistake, and silence would hide it. */
const MAX_FILES = 1_000;
const MAX_BYTES = 5_000_000;
/** Keeps a pattern over a whole disk from running for minutes. */
const MAX_LISTED = 200_000;
/** How much of a file decides whether it is text. */
const SNIFFED_BYTES = 512;

/**
 * The files that match any of the patterns, each once, sorted by path. Binary and unreadable files, and files outside
 * the workspace, are left out without a word; no match is no error.
 * @throws {ConfigError} for a bad pattern, a workspace that cannot be read, or more files than a model could read
 */
export async function resolveFiles(
  patterns: readonly string[],
  workspace: ReadableFiles,
): Promise<ContextFile[]> {
  const files: ContextFile[] = [];
  let left = MAX_BYTES;
  for (const path of await findPaths(patterns, workspace)) {
    const bytes = await readStart(workspace, path, Math.max(left + 1, SNIFFED_BYTES));
    if (bytes === undefined || bytes.subarray(0, SNIFFED_BYTES).includes(0)) continue;
    left -= bytes.length;
    if (left < 0)
      throw tooMuch(patterns, `match more than ${MAX_BYTES / 1_000_000} MB of text (up to ${path})`);
    if (files.length === MAX_FILES) throw tooMuch(patterns, `match more than ${MAX_FILES} files`);
    files.push({ path, text: new TextDecoder().decode(bytes) });
  }
  return files;
}

/**
 * The paths that match any of the patterns, each once, sorted.
 * @throws {ConfigError} for a bad pattern, or a workspace that cannot be read or is too large to look through
 */
export async function findPaths(patterns: readonly string[], workspace: ReadableFiles): Promise<string[]> {
  const paths = new Set<string>();
  let listed = 0;
  for (const { matches, mayEnter } of patterns.map((pattern) => compilePattern(pattern))) {
    for await (const { path } of workspace.list(mayEnter)) {
      listed += 1;
      if (listed > MAX_LISTED) throw tooMuch(patterns, `look through more than ${MAX_LISTED} files`);
      if (matches(path)) paths.add(path);
    }
  }
  return [...paths].sort();
}

function tooMuch(patterns: readonly string[], what: string): ConfigError {
  return new ConfigError(`files ${JSON.stringify(patterns)} ${what}: narrow the patterns`);
}
