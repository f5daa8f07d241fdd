import { WorkspaceError } from '../../core/agent-schema/workspace.ts';
import { pathArgument } from '../typed-arguments.ts';
import { fileTool } from './file-tool.ts';
import { checkMayChange } from './hidden.ts';
import { staleFile } from './put-file.ts';

export const deleteFileTool = fileTool({
  name: 'delete_file',
  description: 'Delete a file that was read in this run and has not changed since.',
  parameters: {
    path: { type: 'string', description: 'Path of the file, relative to the working directory' },
  },
  required: ['path'],
  writes: true,
  isRepeatable: false,
  seconds: 60,
  async run(args, context) {
    const { workspace, seen } = context;
    const path = await workspace.realPath(pathArgument(args));
    await checkMayChange(path, 'delete_file', context);
    const { kind } = await workspace.stat(path);
    if (kind === 'folder') throw new WorkspaceError('folder', path);
    const known = await seen.version(path);
    if (known === undefined) throw staleFile(path, known);
    try {
      await workspace.delete(path, known);
    } catch (error) {
      if (error instanceof WorkspaceError && error.fault === 'changed') throw staleFile(path, known);
      throw error;
    }
    return { text: `deleted "${path}"`, filesModified: [path] };
  },
});
