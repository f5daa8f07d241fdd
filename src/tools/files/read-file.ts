import { fileTool } from './file-tool.ts';
import { described } from '../../core/reports/words/attachment-words.ts';
import { NotAttached, toAttachment } from '../../core/attachments/to-attachment.ts';
import type { Workspace } from '../../core/agent-schema/workspace.ts';
import { MAX_ATTACHED_BYTES } from '../../core/records/attachment.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { integerArgument, pathArgument } from '../typed-arguments.ts';
import {
  MAX_RESULT_CHARACTERS,
  type SeenFiles,
  type ToolArguments,
  type ToolOutput,
} from '../../core/tool-contracts/tool.ts';
import { readLines } from './read-lines.ts';
import { NotText } from './text-file.ts';

const MAX_LINES = 2_000;

/** Which lines to show, for tools that show files as `read_file` does. */
export const LINES = {
  offset: { type: 'integer', description: 'Number of the first line to read, from 1' },
  limit: { type: 'integer', description: 'How many lines to read, at most 2,000' },
} as const;

export const readFileTool = fileTool({
  name: 'read_file',
  description:
    'Read a text file. Returns its lines as "N: text", at most 2,000 of them, each cut at 2,000 characters, and at most 50,000 characters; a note at ' +
    'the end says how to continue.',
  parameters: {
    path: { type: 'string', description: 'Path of the file, relative to the working directory' },
    ...LINES,
  },
  required: ['path'],
  seconds: 60,
  async run(args, { workspace, seen, signal }) {
    const path = await workspace.realPath(pathArgument(args));
    let shown: Shown;
    try {
      shown = await showLines(path, args, workspace, signal);
    } catch (error) {
      if (!(error instanceof NotText) || error.kind.type === undefined) throw error;
      return attached(path, workspace, seen);
    }
    const { text, version } = shown;
    await seen.note(path, version);
    return { text, filesRead: [path] };
  },
});

interface Shown {
  text: string;
  /** Of the whole file. */
  version: string;
}

/**
 * The lines of a text file that a call asks for, with their numbers, and a note if there are more.
 * @throws {RefusedCall} in words for the model
 */
export async function showLines(
  path: string,
  args: ToolArguments,
  workspace: Pick<Workspace, 'read'>,
  signal: AbortSignal,
): Promise<Shown> {
  const first = Math.max(1, integerArgument(args, 'offset', { least: 0, fallback: 1 }));
  const limit = Math.min(MAX_LINES, integerArgument(args, 'limit', { least: 1, fallback: MAX_LINES }));
  const { lines, version, total, size } = await readLines(path, { first, limit }, workspace, signal);
  if (lines.length === 0 && size > 0) {
    throw new RefusedCall(`offset ${first} is past the end of "${path}", whose last line is ${total}`);
  }
  const shown = fitting(lines.map((line, index) => `${first + index}: ${line}`));
  const last = first + shown.length - 1;
  return { text: [...shown, ...noteOf(first, last, total, size)].join('\n'), version };
}

/** An image or a document, which a model is shown if it can see it. */
async function attached(path: string, workspace: Workspace, seen: SeenFiles): Promise<ToolOutput> {
  // One byte more than may be attached says that there are more.
  const { bytes, version } = await workspace.read(path, { limit: MAX_ATTACHED_BYTES + 1 });
  try {
    const file = toAttachment(bytes);
    await seen.note(path, version());
    return { text: described(file.attachment), attachments: [file], filesRead: [path] };
  } catch (error) {
    if (error instanceof NotAttached) throw new RefusedCall(`"${path}" ${error.message}`);
    throw error;
  }
}

/** As many lines as a model is shown of one result, with room for a note; the others can be asked for. */
function fitting(lines: readonly string[]): string[] {
  let left = MAX_RESULT_CHARACTERS - 200;
  const fits = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return fits < 0 ? [...lines] : lines.slice(0, fits);
}

function noteOf(first: number, last: number, total: number | undefined, size: number): string[] {
  if (size === 0) return ['(the file is empty)'];
  const next = `continue with offset ${last + 1}`;
  if (total === undefined) return [`(lines ${first} to ${last} of a file of ${size} bytes; ${next})`];
  if (last < total) return [`(lines ${first} to ${last} of ${total}; ${next})`];
  return first > 1 ? [`(lines ${first} to ${last} of ${total}: the end)`] : [];
}
