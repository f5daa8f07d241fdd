import { WorkspaceError } from '../../core/agent-schema/workspace.ts';
import type { ToolContext } from '../../core/tool-contracts/tool.ts';
import { pathArgument, textArgument } from '../typed-arguments.ts';
import { fileTool } from './file-tool.ts';
import { checkMayChange } from './hidden.ts';
import { putFile } from './put-file.ts';

/** In characters; no answer of a model is as long. */
const MAX_CONTENT = 5_000_000;

export const writeFileTool = fileTool({
  name: 'write_file',
  description:
    'Write a whole file; missing folders are created. An existing file is replaced only if it was read in this run ' +
    'and has not changed since. To change a part of a file, use edit_file.',
  parameters: {
    path: { type: 'string', description: 'Path of the file, relative to the working directory' },
    content: { type: 'string', description: 'The whole new content of the file' },
  },
  required: ['path', 'content'],
  writes: true,
  seconds: 60,
  async run(args, context) {
    const asked = pathArgument(args);
    const bytes = new TextEncoder().encode(textArgument(args, 'content', MAX_CONTENT));
    const path = await context.workspace.realPath(asked);
    await checkMayChange(path, 'write_file', context);
    const known = await context.seen.version(path);
    const isNew = await putOrCreate(path, bytes, known, context);
    const did = isNew ? 'created' : 'replaced';
    return { text: `${did} "${path}" (${bytes.length} bytes)`, filesModified: [path] };
  },
});

/** @returns whether there was no such file */
async function putOrCreate(
  path: string,
  bytes: Uint8Array,
  known: string | undefined,
  context: ToolContext,
): Promise<boolean> {
  try {
    await putFile(path, bytes, known, context);
    return known === undefined;
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.fault !== 'missing' || known === undefined) throw error;
    // The file that the run has read is gone: nothing is left to be lost.
    await putFile(path, bytes, undefined, context);
    return true;
  }
}
