import { ConfigError } from '../../errors.ts';
import { described, megabytes } from '../reports/words/attachment-words.ts';
import { kindOf } from '../attachments/first-bytes.ts';
import { toAttachment } from '../attachments/to-attachment.ts';
import { MAX_ATTACHED_BYTES, type NewAttachment } from '../records/attachment.ts';
import { compilePattern } from './file-pattern.ts';
import { readStart, type ReadableFiles } from './workspace.ts';

/** A file that an agent is shown. */
export interface ContextFile {
  /** Relative to the workdir, with `/`. */
  path: string;
  /** Of an image or a document: what it is, in words. */
  text: string;
  /** An image or a document, which the model is shown with its first message; absent: it is text. */
  attachment?: NewAttachment;
}

/** More than any model reads. Beyond these limits a pattern was a mistake, which silence would hide. */
const MAX_FILES = 1_000;
const MAX_BYTES = 5_000_000;
/** Keeps a pattern over a whole disk from running for minutes. */
const MAX_LISTED = 200_000;
/** How much of a file decides whether it is text. */
const SNIFFED_BYTES = 512;

/**
 * The files that match any of the patterns, each once, sorted by path. Images and documents are among them where a
 * pattern names how they end, such as `*.png`: what matches everything means texts. Other binary and unreadable files, and
 * files outside the workspace, are left out without a word; no match is no error.
 * @throws {ConfigError} for a bad pattern, a workspace that cannot be read, or more files than a model could read
 */
export async function resolveFiles(
  patterns: readonly string[],
  workspace: ReadableFiles,
): Promise<ContextFile[]> {
  const files: ContextFile[] = [];
  let left = MAX_BYTES;
  let leftToAttach = MAX_ATTACHED_BYTES;
  const naming = patterns
    .filter((pattern) => /\.[^/.]+$/.test(pattern))
    .map((pattern) => compilePattern(pattern));
  for (const path of await findPaths(patterns, workspace)) {
    const bytes = await readStart(workspace, path, Math.max(left + 1, SNIFFED_BYTES));
    if (bytes === undefined) continue;
    const kind = kindOf(bytes.subarray(0, SNIFFED_BYTES));
    if (kind !== undefined) {
      if (kind.type === undefined || !naming.some(({ matches }) => matches(path))) continue;
      const file = await readStart(workspace, path, leftToAttach + 1);
      if (file === undefined) continue;
      leftToAttach -= file.length;
      if (leftToAttach < 0) {
        const most = megabytes(MAX_ATTACHED_BYTES);
        throw tooMuch(patterns, `match more than ${most} of images and documents (up to ${path})`);
      }
      const attachment = toAttachment(file);
      const text = `[${described(attachment.attachment)}, attached to the first message]`;
      files.push({ path, text, attachment });
      continue;
    }
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
