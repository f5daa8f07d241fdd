import { WorkspaceError, type FolderEntry } from '../../core/agent-schema/workspace.ts';
import { folderArgument, integerArgument } from '../typed-arguments.ts';
import { fileTool } from './file-tool.ts';
import { isHidden } from './hidden.ts';

const MAX_ENTRIES = 1_000;
const MAX_DEPTH = 20;

export const listDirectoryTool = fileTool({
  name: 'list_directory',
  description:
    'List a folder, sorted by name: folders end in "/", files have their size. At most 1,000 entries are listed.',
  parameters: {
    path: { type: 'string', description: 'Path of the folder; default: the working directory' },
    depth: { type: 'integer', description: 'How many levels to list; default: 1' },
  },
  required: [],
  seconds: 60,
  async run(args, { workspace, signal }) {
    const start = await workspace.realPath(folderArgument(args));
    const depth = Math.min(MAX_DEPTH, integerArgument(args, 'depth', { least: 1, fallback: 1 }));
    const lines: string[] = [];
    /** @returns whether there was room for all that is in it */
    const list = async (folder: string, shown: string, levels: number): Promise<boolean> => {
      signal.throwIfAborted();
      const entries = (await workspace.entries(folder))
        .filter(({ name }) => !isHidden(name, start))
        .sort((one, other) => (one.name < other.name ? -1 : 1));
      for (const entry of entries) {
        if (lines.length === MAX_ENTRIES) return false;
        const at = lines.push(shown + toLine(entry)) - 1;
        if (entry.kind !== 'folder' || entry.isLink || levels === 1 || isBulky(entry.name)) continue;
        const below = folder === '' ? entry.name : `${folder}/${entry.name}`;
        try {
          if (!(await list(below, `${shown}${entry.name}/`, levels - 1))) return false;
        } catch (error) {
          if (!(error instanceof WorkspaceError)) throw error;
          lines[at] += ' (cannot be listed)';
        }
      }
      return true;
    };
    const isWhole = await list(start, '', depth);
    if (lines.length === 0) return { text: '(the folder is empty)' };
    const note = isWhole ? [] : [`(only the first ${MAX_ENTRIES} entries: list a folder of it)`];
    return { text: [...lines, ...note].join('\n') };
  },
});

function toLine({ name, kind, size }: FolderEntry): string {
  if (kind === 'folder') return `${name}/`;
  return kind === 'file' ? `${name} (${size} bytes)` : `${name} (neither a file nor a folder here)`;
}

/** Folders that would bury everything else; each is listed where a call asks for it by its path. */
function isBulky(name: string): boolean {
  return name === 'node_modules';
}
