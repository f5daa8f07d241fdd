import { type FileContent, type Workspace, WorkspaceError } from '../../agent/workspace.ts';
import { findFiles } from './find-files.ts';
import { linePattern, type LinePattern } from './line-pattern.ts';
import { GAP, LineSearch } from './line-search.ts';
import { ANY_PATH, pathPattern } from './path-pattern.ts';
import { checkIsText, decode, isBinary } from './text-file.ts';

const MAX_LINES = 1_000;

/** How many files are read at once: what counts in a bucket, where each takes tens of milliseconds. */
const AT_ONCE = 16;

/** How much of a file is in memory at a time. */
const CHUNK_BYTES = 4 * 1024 ** 2;

const NEWLINE = 10;

export interface Query {
  pattern: string;
  /** A file or a folder. */
  start: string;
  glob: string | undefined;
  /** Lines before and after each match. */
  context: number;
  ignoreCase: boolean;
  filesOnly: boolean;
}

/** @returns the lines that match, by path and number, in words for a model */
export async function searchLines(query: Query, workspace: Workspace, signal: AbortSignal): Promise<string> {
  const pattern = linePattern(query.pattern, query.ignoreCase);
  const found: string[] = [];
  const paths = await pathsOf(query, workspace, signal);
  for (let next = 0; next < paths.length && found.length <= MAX_LINES; next += AT_ONCE) {
    signal.throwIfAborted();
    // Files of a folder are read without a pause, in which nothing else would get its turn.
    await new Promise((resolve) => setImmediate(resolve));
    const batch = paths.slice(next, next + AT_ONCE);
    const results = await Promise.all(
      batch.map((path) => searchFile(path, query, pattern, workspace, signal)),
    );
    for (const lines of results) {
      if (query.context > 0 && lines.length > 0 && found.length > 0) found.push(GAP);
      found.push(...lines);
    }
  }
  if (found.length === 0) return `(no line matches in ${paths.length} files)`;
  const note =
    found.length > MAX_LINES
      ? [`(only the first ${MAX_LINES} lines: narrow the pattern, or set path, glob or files_only)`]
      : [];
  return [...found.slice(0, MAX_LINES), ...note].join('\n');
}

async function pathsOf(query: Query, workspace: Workspace, signal: AbortSignal): Promise<string[]> {
  const start = await workspace.realPath(query.start);
  if ((await workspace.stat(start)).kind === 'file') {
    checkIsText((await workspace.read(start, { limit: CHUNK_BYTES })).bytes, start);
    return [start];
  }
  const { glob = '' } = query;
  // A name alone is looked for in every folder.
  const { matches, mayEnter } =
    glob === '' ? ANY_PATH : pathPattern(glob.includes('/') ? glob : `**/${glob}`, start);
  const files = await findFiles({ workspace, start, pattern: glob, mayEnter, signal });
  return files
    .map(({ path }) => path)
    .filter(matches)
    .sort();
}

/** The lines of one file that match, as they are shown; none of what cannot be read, or is no text. */
async function searchFile(
  path: string,
  { context, filesOnly }: Query,
  pattern: LinePattern,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string[]> {
  const search = new LineSearch(path, pattern, context);
  let isInLongLine = false;
  for (let offset = 0; search.shown.length <= MAX_LINES; signal.throwIfAborted()) {
    const content = await readPart(path, offset, workspace);
    if (content === undefined || (offset === 0 && isBinary(content.bytes))) break;
    const { bytes, size } = content;
    const isLast = offset + bytes.length >= size || bytes.length === 0;
    if (isInLongLine) {
      const rest = bytes.indexOf(NEWLINE) + 1;
      offset += rest === 0 ? bytes.length : rest;
      isInLongLine = rest === 0;
    } else {
      const lines = isLast ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
      // Of a line that is longer than this part, the start is searched and no more.
      isInLongLine = lines === 0 && !isLast;
      const searched = isInLongLine ? bytes : bytes.subarray(0, lines);
      search.add(decode(searched, isInLongLine).text);
      offset += searched.length;
    }
    if (filesOnly && search.shown.length > 0) return [path];
    if (isLast) break;
  }
  return search.shown;
}

async function readPart(
  path: string,
  offset: number,
  workspace: Workspace,
): Promise<FileContent | undefined> {
  try {
    return await workspace.read(path, { offset, limit: CHUNK_BYTES });
  } catch (error) {
    if (error instanceof WorkspaceError) return undefined;
    throw error;
  }
}
