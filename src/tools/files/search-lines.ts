import { type ByteRange, type FileContent, WorkspaceError } from '../../core/agent-schema/workspace.ts';
import type { ToolContext } from '../../core/tool-contracts/tool.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { findFiles, ignoresItself, keepFound } from './find-files.ts';
import { hiddenNames } from './hidden.ts';
import { linePattern, type LinePattern } from './line-pattern.ts';
import { GAP, LineSearch } from './line-search.ts';
import { ANY_PATH, pathPattern } from './path-pattern.ts';
import { kindOf } from '../../core/attachments/first-bytes.ts';
import { checkIsText, CHUNK_BYTES, decode, NEWLINE } from './text-file.ts';

const MAX_LINES = 1_000;

/** How many files are read at once: which matters in a bucket, where each takes tens of milliseconds. */
const AT_ONCE = 16;

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

type SearchContext = Pick<ToolContext, 'workspace' | 'signal' | 'mayShow'>;

/** A file that may have such lines. */
interface Candidate {
  path: string;
  read(range: ByteRange): Promise<FileContent>;
}

/**
 * Nothing tells whether a line matches in a file that rules keep from the model: it could guess the line bit by bit.
 * @returns the lines that match, by path and number, in words for a model
 */
export async function searchLines(query: Query, context: SearchContext): Promise<string> {
  const { signal, mayShow } = context;
  const pattern = linePattern(query.pattern, query.ignoreCase);
  const found: string[] = [];
  const files = await candidatesOf(query, context);
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  for (let next = 0; next < files.length && found.length <= MAX_LINES; next += AT_ONCE) {
    // Files of a folder are read without a pause, in which nothing else would get its turn.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const batch = files.slice(next, next + AT_ONCE);
    const search = async (file: Candidate) => {
      const lines = await searchFile(file, query, pattern, signal);
      return lines.length === 0 || mayShow(file.path) ? lines : [];
    };
    for (const lines of await Promise.all(batch.map(search))) {
      if (query.context > 0 && lines.length > 0 && found.length > 0) found.push(GAP);
      found.push(...lines);
    }
  }
  if (found.length === 0) return '(no line matches)';
  const note = `(only the first ${MAX_LINES} lines: narrow the pattern, or set path, glob or files_only)`;
  return [...found.slice(0, MAX_LINES), ...(found.length > MAX_LINES ? [note] : [])].join('\n');
}

async function candidatesOf(
  query: Query,
  { workspace, signal, mayShow }: SearchContext,
): Promise<Candidate[]> {
  const start = await workspace.realPath(query.start);
  const toCandidate = (path: string) => ({ path, read: (range: ByteRange) => workspace.read(path, range) });
  if ((await workspace.stat(start)).kind === 'file') {
    if (!mayShow(start)) {
      throw new RefusedCall(`the rules of this agent keep "${start}" from being read`);
    }
    const file = toCandidate(start);
    checkIsText((await file.read({ limit: CHUNK_BYTES })).bytes, start);
    return [file];
  }
  const { pattern, ignoreCase, glob = '' } = query;
  // A name alone is looked for in every folder.
  const { matches, mayEnter } =
    glob === '' ? ANY_PATH : pathPattern(glob.includes('/') ? glob : `**/${glob}`, start);
  const leftOut = hiddenNames(`${start}/${glob}`);
  const paths =
    workspace.findCandidates === undefined || (await ignoresItself(start, workspace))
      ? undefined
      : await workspace.findCandidates({ pattern, ignoreCase, folder: start, leftOut }, signal);
  const search = { workspace, start, named: glob, mayEnter, signal };
  // The target of a link is searched by its own name.
  if (paths === undefined) {
    return (await findFiles(search)).filter(({ path, isLink }) => !isLink && matches(path));
  }
  return (await keepFound(paths.filter(matches), search)).map(toCandidate);
}

/** The lines of one file that match, as they are shown; none of what cannot be read, or is no text. */
async function searchFile(
  file: Candidate,
  { context, filesOnly }: Query,
  pattern: LinePattern,
  signal: AbortSignal,
): Promise<string[]> {
  const search = new LineSearch(file.path, pattern, context);
  let isInLongLine = false;
  for (let offset = 0; search.shown.length <= MAX_LINES; signal.throwIfAborted()) {
    const content = await readPart(file, offset);
    if (content === undefined || (offset === 0 && kindOf(content.bytes) !== undefined)) break;
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
      const { text } = decode(searched, isInLongLine);
      search.add(offset === 0 ? text.replace(/^\uFEFF/, '') : text, isLast);
      offset += searched.length;
    }
    if (filesOnly && search.shown.length > 0) return [file.path];
    if (offset >= size || bytes.length === 0) break;
  }
  return search.shown;
}

async function readPart(file: Candidate, offset: number): Promise<FileContent | undefined> {
  try {
    return await file.read({ offset, limit: CHUNK_BYTES });
  } catch (error) {
    if (error instanceof WorkspaceError) return undefined;
    throw error;
  }
}
